import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { PythonPool } from '../../cache/code/python/python-pool.js'
import type { FunctionReference, PythonOptions } from '../../cache/code/python/python-types.js'
import type { Json } from '../../base/values/canonical-json.js'
import { root } from './cli.js'
import { temporaryFolder } from './store.js'

/** The interpreter of the tests. Some need packages that the system's Python has not. */
export const python = process.env['PIPELINE_TEST_PYTHON'] ?? 'python3'
/** Whether Python and these modules are there. */
export const hasPython = (...modules: readonly string[]): boolean =>
  spawnSync(python, ['-c', modules.map(name => `import ${name}`).join('\n')]).status === 0

const pools: PythonPool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map(pool => pool.close()))
})

/** A pool that is closed after the test, and references to functions of the code. */
export async function pythonCode(
  code: string,
  options: Partial<PythonOptions> = {},
): Promise<{ pool: PythonPool; folder: string; ref: (name: string) => FunctionReference }> {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'utils.py'), code)
  const worker = join(root, 'src/python/worker/worker.py')
  const pool = new PythonPool({ python, worker, exchange: folder, seconds: 20, env: process.env, ...options })
  pools.push(pool)
  return { pool, folder, ref: name => ({ module: 'utils', name, folder }) }
}

export const labelsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `task/${index}`)

/** Calls of a function of one parameter. */
export const callsOf = (values: readonly Json[]): { args: Json[] }[] => values.map(value => ({ args: [value] }))
