import { isAbsolute, resolve } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { expectFile, FileError } from '../../base/files/files.js'
import { shownPath } from '../../base/files/shown-path.js'
import { packageEntry } from '../../cache/code/bundle-code.js'
import { loadUserCode } from '../../cache/code/load-user-code.js'
import { isAggregation, isFilter, isMetric } from '../../stages/judge/compile/registry.js'
import type { GivenBackend } from '../config/settings.js'
import type { AnyBackend } from '../../stages/model/define-backend.js'
import { isBackend, missingInBackend, type PluginBackend } from '../../stages/model/registry.js'

/** The exports of the files and packages named with `--plugin`. */
export interface Plugins {
  readonly backends: readonly PluginBackend[]
  /** All exports; the judge uses the metrics, filters and aggregations among them. */
  readonly exports: readonly unknown[]
  /** Git object ids of a backend's files, which identify its code in keys. */
  readonly closures: ReadonlyMap<AnyBackend, Readonly<Record<string, string>>>
}

/**
 * @param options.folder the folder of relative paths and packages. @default the working directory
 * @throws PipelineError if a plugin is missing, does not load, or exports nothing usable
 */
export async function loadPlugins(
  names: readonly string[],
  options: { readonly cacheDir: string; readonly folder?: string },
): Promise<Plugins> {
  const { folder = process.cwd() } = options
  const backends: PluginBackend[] = []
  const exported: unknown[] = []
  const closures = new Map<AnyBackend, Readonly<Record<string, string>>>()
  for (const origin of new Set(names)) {
    const { module, closure } = await loadUserCode(await findEntryFile(origin, folder), options)
    const values = listValues(module)
    refuseIncomplete(values, origin)
    for (const backend of values.filter(isBackend)) {
      backends.push({ backend, origin })
      closures.set(backend, closure)
    }
    if (!values.some(isUsable)) throw nothingUsable(module, origin)
    exported.push(...values)
  }
  return { backends, exports: exported, closures }
}

/** The plugins, with a backend that a program gives as a value. It wins over others of its name. */
export function withGivenBackend(plugins: Plugins, offered: GivenBackend | undefined): Plugins {
  if (offered === undefined) return plugins
  const { backend, closure } = offered
  const others = plugins.backends.filter(({ backend: { id } }) => id !== backend.id)
  return {
    ...plugins,
    backends: [...others, { backend, origin: 'a value' }],
    closures: new Map([...plugins.closures, ...(closure === undefined ? [] : [[backend, closure] as const])]),
  }
}

/** Plugins are not type-checked, so an incomplete backend is reported instead of being ignored as another kind of export. */
function refuseIncomplete(values: readonly unknown[], origin: string): void {
  const problems = values.flatMap(value => {
    const missing = missingInBackend(value)
    if (missing === undefined || missing.length === 0) return []
    const id = typeof value === 'object' && value !== null ? String(Reflect.get(value, 'id')) : ''
    return [`plugin ${origin}: backend "${id}" has no ${missing.join(', ')} (docs/extending.md)`]
  })
  if (problems.length > 0) throw new PipelineError('config', problems)
}

const isUsable = (value: unknown): boolean =>
  isBackend(value) || isMetric(value) || isFilter(value) || isAggregation(value)

function nothingUsable(module: Readonly<Record<string, unknown>>, origin: string): PipelineError {
  const names = Object.keys(module)
  const what = names.length === 0 ? 'nothing' : names.join(', ')
  return new PipelineError(
    'config',
    `plugin ${origin} exports ${what}. Export what defineBackend(…), defineMetric(…), defineFilter(…) or defineAggregation(…) returns (docs/extending.md)`,
  )
}

/** All exports, including those in the default export of a CommonJS module. */
function listValues(module: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { default: whole } = module
  const inner: readonly unknown[] =
    typeof whole === 'object' && whole !== null && !isBackend(whole) ? Object.values<unknown>({ ...whole }) : []
  return [...new Set([...Object.values(module), ...inner])]
}

/** The file of a plugin, or the entry file of a package in the folder. */
async function findEntryFile(name: string, folder: string): Promise<string> {
  if (name.startsWith('.') || isAbsolute(name) || /\.[mc]?[jt]s$/.test(name)) {
    const file = resolve(folder, name)
    // Reading a pipe would wait, and a device may have no end.
    await expectFile(file).catch((error: unknown) => refuseFile(name, error))
    return file
  }
  const entry = await packageEntry(name, folder)
  if (entry !== undefined) return entry
  throw new PipelineError(
    'config',
    `no plugin package ${name} that can be imported from ${shownPath(folder)}. Install it there (npm install ${name}), or name a file: ${option('plugins', `./${name}.ts`)}`,
    { reason: 'lacking-here' },
  )
}

function refuseFile(name: string, error: unknown): never {
  if (!(error instanceof FileError)) throw error
  const problem = error.code === 'ENOENT' ? `no plugin file ${name}` : `plugin ${name}: ${error.message}`
  throw new PipelineError('config', problem, { cause: error })
}
