import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { messageOf, PipelineError } from '../base/errors.js'
import { loadUserCode } from '../cache/code/load-user-code.js'
import type { AnyBackend } from '../stages/model/define-backend.js'
import { isBackend } from '../stages/model/registry.js'

/** What the files and packages named with `--plugin` export. */
export interface Plugins {
  readonly backends: readonly AnyBackend[]
  /** All exports: the judge takes its metrics, filters and aggregations out of them. */
  readonly exports: readonly unknown[]
  /** Git object ids of a backend's own files, by its id: they stand for its code in keys. */
  readonly closures: ReadonlyMap<string, Readonly<Record<string, string>>>
}

/** @throws PipelineError where a plugin is not there, does not load, or exports nothing that can be used. */
export async function loadPlugins(names: readonly string[], options: { readonly cacheDir: string }): Promise<Plugins> {
  const backends: AnyBackend[] = []
  const exported: unknown[] = []
  const closures = new Map<string, Readonly<Record<string, string>>>()
  for (const name of names) {
    const { module, closure } = await loadPlugin(name, options)
    const values = Object.values(module)
    for (const backend of values.filter(isBackend)) {
      backends.push(backend)
      closures.set(backend.id, closure)
    }
    if (values.length === 0)
      throw new PipelineError(
        'config',
        `plugin ${name} exports nothing: export what defineBackend(…) or defineMetric(…) returns`,
      )
    exported.push(...values)
  }
  return { backends, exports: exported, closures }
}

async function loadPlugin(
  name: string,
  options: { readonly cacheDir: string },
): Promise<{ module: Readonly<Record<string, unknown>>; closure: Readonly<Record<string, string>> }> {
  if (name.startsWith('.') || isAbsolute(name) || /\.[mc]?[jt]s$/.test(name)) {
    const file = resolve(name)
    if (!existsSync(file)) throw new PipelineError('config', `no plugin file ${name}`)
    return loadUserCode(file, options)
  }
  try {
    const entry = createRequire(resolve('package.json')).resolve(name)
    return { module: (await import(pathToFileURL(entry).href)) as Record<string, unknown>, closure: { [name]: entry } }
  } catch (error) {
    throw new PipelineError('config', `plugin package ${name} can't be loaded: ${messageOf(error)}`, { cause: error })
  }
}
