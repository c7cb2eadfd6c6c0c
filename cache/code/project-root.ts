import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the running code: `dist` after a build, the project itself under a test runner. */
export const codeRoot: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

/** The installation: the folder with `package.json`, `tasks/` and `examples/`. */
export const projectRoot: string = existsSync(join(codeRoot, 'package.json')) ? codeRoot : dirname(codeRoot)

/** True if compiled code runs. Then `dist/build.json` describes its sources. */
export const isBuilt: boolean = codeRoot !== projectRoot
