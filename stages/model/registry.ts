import { PipelineError } from '../../base/errors/errors.js'
import { command, option } from '../../base/errors/option-words.js'
import { didYouMean } from '../../base/text/suggest.js'
import { readEffect } from './backend-args.js'
import { builtIns } from './built-in-backends.js'
import type { AnyBackend } from './define-backend.js'
import { standInFor } from './lmms-models.js'

/** A backend in the list of `models list`. */
export interface BackendSummary {
  readonly id: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly form: 'chat' | 'simple' | 'text'
  /** `built-in`, or the plugin's file or package. */
  readonly origin: string
}

/** A user's backend, with the file or package that defines it. */
export interface PluginBackend {
  readonly backend: AnyBackend
  readonly origin: string
}

/** Lists all backends, built-in ones first. */
export const listBackends = (plugins: readonly PluginBackend[]): readonly BackendSummary[] => [
  ...builtIns.map(({ id, aliases, summary, form }): BackendSummary => ({
    id,
    aliases,
    summary,
    form: form ?? 'chat',
    origin: 'built-in',
  })),
  ...plugins.map(({ backend: { id, aliases = [], summary, form = 'chat' }, origin }): BackendSummary => ({
    id,
    aliases,
    summary,
    form,
    origin,
  })),
]

/** Lists all names of a backend: its id first, then its aliases. A preset has the names of its backend. */
export function modelNames(name: string, plugins: readonly PluginBackend[]): readonly string[] {
  const forms = findForms(listBackends(plugins), name)
  const [first] = forms
  const presetOf = builtIns.find(({ id }) => id === first?.id)?.presetOf
  if (presetOf !== undefined) return modelNames(presetOf, plugins)
  return first === undefined ? [name] : [...new Set([first.id, ...forms.flatMap(({ aliases }) => aliases)])]
}

/** Finds the backends with the id of this name. The chat and the simple form share their aliases. */
function findForms(backends: readonly BackendSummary[], name: string): readonly BackendSummary[] {
  const owner = backends.find(({ id, aliases }) => id === name || aliases.includes(name))
  return backends.filter(({ id }) => id === owner?.id)
}

/**
 * Finds the backend of an id or alias, and loads only that one. If it has a form for conversations and a simple form, the first is used unless
 * `forceSimple` is set. `instead` is the hint of the error for an unknown model.
 *
 * @throws PipelineError if there is none, if two have the same name, or if a plugin's argument is undeclared
 */
export async function findBackend(
  id: string,
  plugins: readonly PluginBackend[],
  { forceSimple = false, instead }: { readonly forceSimple?: boolean; readonly instead?: string } = {},
): Promise<AnyBackend> {
  const backends = listBackends(plugins)
  const problems = [...clashes(backends), ...plugins.flatMap(undeclaredArgs)]
  if (problems.length > 0) throw new PipelineError('config', problems)
  const forms = findForms(backends, id)
  const wanted = forceSimple ? 'simple' : 'chat'
  const chosen = forms.find(({ form }) => form === wanted) ?? forms[0]
  const isChosen = (other: Pick<BackendSummary, 'id'>): boolean => other.id === chosen?.id
  const loadedBackend =
    plugins.find(({ backend }) => isChosen(backend) && (backend.form ?? 'chat') === chosen?.form)?.backend ??
    (await builtIns.find(isChosen)?.load())
  if (loadedBackend !== undefined) return loadedBackend
  throw new PipelineError(
    'config',
    `no model "${id}".${instead === undefined ? hintFor(id, backends) : ` ${instead}`}`,
    {
      reason: 'model-unknown',
      data: { model: id },
    },
  )
}

function hintFor(id: string, backends: readonly BackendSummary[]): string {
  const standIn = standInFor(id)
  if (standIn !== undefined) {
    const args = { model: standIn.model ?? 'ORG/NAME', ...standIn.args }
    const ownClass = `, or lmms-eval's own class in a Python process: ${option('model', 'lmms')} ${option('modelArgs', { class: id })}`
    return ` ${standIn.why} Use ${option('model', standIn.backend)} ${option('modelArgs', args)}${standIn.hasClass === true ? ownClass : ''}`
  }
  const guess = didYouMean(
    id,
    backends.flatMap(backend => [backend.id, ...backend.aliases]),
  )
  const served = readProviderName(id, backends) ?? backendServing(id)
  const instead =
    served === undefined
      ? guess
      : ` ${option('model')} names a backend. For this model: ${option('model', served.backend)} ${option('modelArgs', { model: served.model })}`
  const general =
    instead === ''
      ? ` ${option('model')} names a backend. For a model of the Hub: ${option('model', 'vllm')} ${option('modelArgs', { model: 'ORG/NAME' })}`
      : instead
  return `${general}   (${command('models list')})`
}

/** Model names that users give as a backend's name. */
const servedBy: readonly (readonly [pattern: RegExp, backend: string])[] = [
  [/^\w[\w.-]*\/[\w.-]+$/, 'vllm'],
  [/^(gpt-|chatgpt-|o\d)/i, 'openai'],
  [/^claude-/i, 'anthropic'],
  [/^gemini-/i, 'gemini'],
]

interface ServedModel {
  readonly backend: string
  readonly model: string
}

function backendServing(model: string): ServedModel | undefined {
  const backend = servedBy.find(([pattern]) => pattern.test(model))?.[1]
  return backend === undefined ? undefined : { backend, model }
}

/** Reads a model as Inspect (`openai/gpt-4.1`) and promptfoo (`openai:chat:gpt-4.1`) name it. Repositories of OpenAI on the Hub are none. */
function readProviderName(id: string, backends: readonly BackendSummary[]): ServedModel | undefined {
  if (/^openai\/(?:gpt-oss|whisper|clip)/i.test(id)) return undefined
  const [, provider = '', model = ''] = /^([a-z][\w-]*)[:/](?:(?:chat|messages|responses):)?(.+)$/.exec(id) ?? []
  const name = provider === 'google' && model.startsWith('gemini') ? 'gemini' : provider
  const summary = backends.find(backend => backend.id === name || backend.aliases.includes(name))
  return summary === undefined ? undefined : { backend: name, model }
}

/** Finds names that lead to two ids, and ids with two backends of one form. */
function clashes(backends: readonly BackendSummary[]): readonly string[] {
  const problems: string[] = []
  const owners = new Map<string, BackendSummary[]>()
  for (const backend of backends) {
    for (const name of new Set([backend.id, ...backend.aliases])) {
      const otherOwners = owners.get(name) ?? []
      const other = otherOwners.find(({ id, form }) => id !== backend.id || form === backend.form)
      if (other !== undefined) problems.push(clash(name, other, backend))
      owners.set(name, [...otherOwners, backend])
    }
  }
  return problems
}

const clash = (name: string, backend: BackendSummary, other: BackendSummary): string =>
  `two model backends are named "${name}": ${backend.id} (${backend.origin}) and ${other.id} (${other.origin}). Rename one, or give it another form (chat, simple) under the same id.`

/**
 * Finds arguments of a plugin without `affectsOutput` or `transport`. Plugins run without type checks, and an argument
 * outside the keys would give one answer to two different requests.
 */
const undeclaredArgs = ({ backend, origin }: PluginBackend): readonly string[] =>
  Object.entries(backend.args)
    .filter(([, schema]) => readEffect(schema) === undefined)
    .map(
      ([name]) =>
        `plugin ${backend.id} (${origin}): wrap the schema of argument "${name}" in affectsOutput(…) or transport(…)`,
    )

/** The fields that every backend has. */
const partsOfBackend = {
  id: 'string',
  summary: 'string',
  args: 'object',
  accepts: 'object',
  requests: 'object',
  code: 'object',
  identify: 'function',
  open: 'function',
} as const

/** Lists the fields that an incomplete backend lacks. @returns undefined if the value is not meant as a backend */
export function missingInBackend(value: unknown): readonly string[] | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  const kind = (name: string): string => (Reflect.get(value, name) === null ? 'null' : typeof Reflect.get(value, name))
  if (kind('id') !== 'string' || kind('open') !== 'function') return undefined
  return Object.entries(partsOfBackend).flatMap(([name, wanted]) => (kind(name) === wanted ? [] : [name]))
}

/** Tells whether an export of a plugin is a backend made by `defineBackend`. */
export const isBackend = (value: unknown): value is AnyBackend => missingInBackend(value)?.length === 0
