import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { limitedFunction } from '../../base/time/time-limit.js'
import { PipelineError, messageOf } from '../../base/errors/errors.js'
import type { StoredCode, StoredFunction, StoredFunctions } from '../records.js'
import type { CodeOptions } from './code-runtime.js'
import { codeRoot, isBuilt } from './project-root.js'
import { functionIn } from './offered-functions.js'
import { loadBundledCode } from './load-user-code.js'
import { loadStoredPython } from './python/python-module.js'

/** Loads the task's own functions that its scores depend on, by the text that names each in the configuration. */
export async function loadStoredFunctions(
  storedFunctions: StoredFunctions,
  options: CodeOptions,
): Promise<Readonly<Record<string, (...args: readonly unknown[]) => unknown>>> {
  const loaded = Object.entries(storedFunctions.functions ?? {}).map(
    async ([text, ref]) => [text, await loadStoredFunction(ref, storedFunctions.code ?? {}, options)] as const,
  )
  return Object.fromEntries(await Promise.all(loaded))
}

/** Loads a file of this program's `tasks/`. The path is the source's, relative to the project (`tasks/x/utils.ts`). */
export async function loadBuiltinCode(path: string): Promise<Readonly<Record<string, unknown>>> {
  const file = join(codeRoot, isBuilt ? path.replace(/\.ts$/, '.js') : path)
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    throw new PipelineError('config', `${path} can't be loaded: ${messageOf(error)}`, { cause: error })
  }
}

/**
 * Loads one function. The task's folder is not needed.
 *
 * @throws PipelineError if the code does not load or does not export the function
 */
async function loadStoredFunction(
  ref: StoredFunction,
  code: Readonly<Record<string, StoredCode>>,
  options: CodeOptions,
): Promise<(...args: readonly unknown[]) => unknown> {
  const storedCode = code[ref.code]
  if (storedCode === undefined)
    throw new PipelineError('config', `the code of ${ref.function} (${ref.code}) is missing`)
  const name = ref.function.slice(ref.function.lastIndexOf('.') + 1)
  if ('python' in storedCode) return loadStoredPython(storedCode, name, options)
  const module =
    'builtin' in storedCode
      ? await loadBuiltinCode(storedCode.builtin)
      : await loadBundledCode(storedCode.source, { ...options, name: ref.code })
  const callee = functionIn(module, name)
  if (callee === undefined) throw new PipelineError('config', `${ref.code} exports no function "${name}"`)
  return 'builtin' in storedCode ? callee : limitedFunction(ref.function, callee, options.runtime?.timeLimit)
}
