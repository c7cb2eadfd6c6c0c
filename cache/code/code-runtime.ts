import type { HelperPrograms } from '../../base/processes/helper-programs.js'
import type { PythonRuntime } from './python/python-runtime.js'

/** Runs the code of users for one plan. */
export interface CodeRuntime {
  /** The environment variables of the plan. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Maximum milliseconds of the code of one doc, in this process. */
  readonly timeLimit: number
  readonly python: PythonRuntime
  /** Programs of metrics, such as those in Java. They see the variables that Python code sees. */
  readonly programs: HelperPrograms
  /** Hides the secrets of the plan in a text. */
  readonly hide: (text: string) => string
}

/** Options that control how users' code is loaded. */
export interface CodeOptions {
  /** Folder for compiled code. */
  readonly cacheDir: string
  /** @default the usual time limit, and no code in Python */
  readonly runtime?: CodeRuntime | undefined
}
