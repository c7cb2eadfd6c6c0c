import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that this code runs in: `dist` after a build, the project itself under a test runner. */
export const codeRoot: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

/** The installation: the folder with `package.json`, `tasks/` and `examples/`. */
export const projectRoot: string = existsSync(join(codeRoot, 'package.json')) ? codeRoot : dirname(codeRoot)

/** Whether compiled code runs, so that `dist/build.json` says what it was made of. */
export const isBuilt: boolean = codeRoot !== projectRoot
