import { PipelineError } from '../../base/errors/errors.js'
import { command, option } from '../../base/errors/option-words.js'
import { didYouMean } from '../../base/text/suggest.js'
import { readEffect } from './backend-args.js'
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

interface BuiltIn {
  readonly id: string
  readonly aliases: readonly string[]
  readonly summary: string
  /** The backend of which this is a preset with its own address. Prompts are worded for it as for that backend. */
  readonly presetOf?: string
  /** @default 'chat' */
  readonly form?: 'text'
  load(): Promise<AnyBackend>
}

const presets = async () => import('./backends/openai/presets.js')
const chat = (id: string, summary: string, load: BuiltIn['load']): BuiltIn => ({
  id,
  aliases: [],
  summary,
  presetOf: 'openai',
  load,
})

// Ids, aliases and summaries are repeated here, so that naming a backend loads none. A test compares both.
const builtIns: readonly BuiltIn[] = [
  {
    id: 'onnx_vlm',
    aliases: [],
    summary: 'local vision-language models (Idefics3 class) in the Hugging Face ONNX layout, on the processor',
    load: async () => (await import('./backends/onnx-vlm.js')).onnxVlm,
  },
  {
    id: 'openai',
    aliases: [
      'async_openai',
      'openai_compatible',
      'openai_chat',
      'openai_compatible_chat',
      'async_openai_chat',
      'async_openai_compatible',
      'async_openai_compatible_chat',
      'local-chat-completions',
      'openai-chat-completions',
    ],
    summary: 'any server that speaks the OpenAI chat completions protocol',
    load: async () => (await import('./backends/openai.js')).openai,
  },
  {
    id: 'openai_completions',
    aliases: ['openai-completions', 'local-completions', 'gguf'],
    summary: 'base models: text completions of any server that speaks the OpenAI protocol',
    form: 'text',
    load: async () => (await import('./backends/openai-completions.js')).openaiCompletions,
  },
  chat(
    'azure_openai',
    'OpenAI models on Azure, by deployment',
    async () => (await import('./backends/azure-openai.js')).azureOpenai,
  ),
  chat('openrouter', 'OpenRouter: models of many providers', async () => (await presets()).openrouter),
  chat('groq', 'Groq', async () => (await presets()).groq),
  chat('together', 'Together AI', async () => (await presets()).together),
  chat('fireworks', 'Fireworks AI', async () => (await presets()).fireworks),
  chat('deepseek', 'DeepSeek', async () => (await presets()).deepseek),
  chat('mistral', 'Mistral AI', async () => (await presets()).mistral),
  chat('xai', 'xAI', async () => (await presets()).xai),
  {
    ...chat('litellm', 'a LiteLLM proxy', async () => (await presets()).litellm),
    aliases: ['litellm_chat', 'litellm_compatible'],
  },
  {
    id: 'openai_responses',
    aliases: [],
    summary: "OpenAI's Responses API",
    load: async () => (await import('./backends/openai-responses.js')).openaiResponses,
  },
  {
    id: 'anthropic',
    aliases: ['claude'],
    summary: "Claude, by Anthropic's Messages API",
    load: async () => (await import('./backends/anthropic.js')).anthropic,
  },
  {
    id: 'gemini',
    aliases: ['gemini_api'],
    summary: "Google's Gemini, by the Gemini API",
    load: async () => (await import('./backends/gemini.js')).gemini,
  },
  {
    id: 'vllm',
    aliases: ['vllm_chat', 'vllm_generate'],
    summary: 'vLLM: a server that runs (base_url), or one that is started for the run',
    load: async () => (await import('./backends/vllm.js')).vllm,
  },
  {
    id: 'sglang',
    aliases: ['sglang_runtime', 'sglang_chat'],
    summary: 'SGLang: a server that runs (base_url), or one that is started for the run',
    load: async () => (await import('./backends/sglang.js')).sglang,
  },
  {
    id: 'llama_cpp',
    aliases: ['llama_server', 'llamacpp'],
    summary: "llama.cpp's llama-server: one that runs (base_url), or one that is started for the run",
    load: async () => (await import('./backends/llama-cpp.js')).llamaCpp,
  },
  {
    id: 'ollama',
    aliases: ['ollama_chat'],
    summary: 'Ollama: a server that runs, or one that is started for the run',
    load: async () => (await import('./backends/ollama.js')).ollama,
  },
  {
    id: 'lmdeploy',
    aliases: [],
    summary: 'LMDeploy: a server that runs (base_url), or one that is started for the run',
    load: async () => (await import('./backends/lmdeploy.js')).lmdeploy,
  },
  {
    id: 'python',
    aliases: [],
    summary: 'a class in a Python file, with the interface of lmms-eval or a method generate',
    load: async () => (await import('./backends/python.js')).python,
  },
  {
    id: 'lmms',
    aliases: [],
    summary: 'a model of the installed lmms-eval, loaded in Python',
    load: async () => (await import('./backends/lmms.js')).lmms,
  },
  {
    id: 'hf',
    aliases: [],
    summary: 'a pipeline of Hugging Face transformers, loaded in Python',
    load: async () => (await import('./backends/hf.js')).hf,
  },
  {
    id: 'dummy',
    aliases: ['dummy_video_reader'],
    summary: 'deterministic answers without a model, with settable latency and failures, for trying things out',
    load: async () => (await import('./backends/dummy.js')).dummy,
  },
]

/** Loads all built-in backends. */
export const allBackends = (): Promise<readonly AnyBackend[]> =>
  Promise.all(builtIns.map(async builtIn => builtIn.load()))

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
  const named = findForms(listBackends(plugins), name)
  const [first] = named
  const presetOf = builtIns.find(({ id }) => id === first?.id)?.presetOf
  if (presetOf !== undefined) return modelNames(presetOf, plugins)
  return first === undefined ? [name] : [...new Set([first.id, ...named.flatMap(({ aliases }) => aliases)])]
}

/** Finds the backends with the id of this name. An alias of one form is an alias of the other, too. */
function findForms(backends: readonly BackendSummary[], name: string): readonly BackendSummary[] {
  const owner = backends.find(({ id, aliases }) => id === name || aliases.includes(name))
  return backends.filter(({ id }) => id === owner?.id)
}

/**
 * Finds the backend of an id or alias, and loads only that one. If it has a form for conversations and a simple form,
 * the first is used unless `forceSimple` is set. `instead` says what to do if there is no such model.
 *
 * @throws PipelineError if there is none, if two have the same name, or if a plugin's argument is undeclared
 */
export async function findBackend(
  id: string,
  plugins: readonly PluginBackend[],
  { forceSimple = false, instead }: { readonly forceSimple?: boolean; readonly instead?: string } = {},
): Promise<AnyBackend> {
  const all = listBackends(plugins)
  const problems = [...clashes(all), ...plugins.flatMap(undeclaredArgs)]
  if (problems.length > 0) throw new PipelineError('config', problems)
  const named = findForms(all, id)
  const wanted = forceSimple ? 'simple' : 'chat'
  const chosen = named.find(({ form }) => form === wanted) ?? named[0]
  const isChosen = (other: Pick<BackendSummary, 'id'>): boolean => other.id === chosen?.id
  const found =
    plugins.find(({ backend }) => isChosen(backend) && (backend.form ?? 'chat') === chosen?.form)?.backend ??
    (await builtIns.find(isChosen)?.load())
  if (found !== undefined) return found
  throw new PipelineError('config', `no model "${id}".${instead === undefined ? hintFor(id, all) : ` ${instead}`}`, {
    reason: 'model-unknown',
    data: { model: id },
  })
}

function hintFor(id: string, all: readonly BackendSummary[]): string {
  const standIn = standInFor(id)
  if (standIn !== undefined) {
    const args = { model: standIn.model ?? 'ORG/NAME', ...standIn.args }
    const ownClass = `, or lmms-eval's own class in a Python process: ${option('model', 'lmms')} ${option('modelArgs', { class: id })}`
    return ` ${standIn.why} Use ${option('model', standIn.backend)} ${option('modelArgs', args)}${standIn.hasClass === true ? ownClass : ''}`
  }
  const guess = didYouMean(
    id,
    all.flatMap(backend => [backend.id, ...backend.aliases]),
  )
  const backend = backendServing(id)
  const instead =
    backend === undefined
      ? guess
      : ` ${option('model')} names a backend. For this model: ${option('model', backend)} ${option('modelArgs', { model: id })}`
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

const backendServing = (model: string): string | undefined => servedBy.find(([pattern]) => pattern.test(model))?.[1]

/** Finds names that lead to two ids, and ids with two backends of one form. */
function clashes(backends: readonly BackendSummary[]): readonly string[] {
  const problems: string[] = []
  const owners = new Map<string, BackendSummary[]>()
  for (const backend of backends) {
    for (const name of new Set([backend.id, ...backend.aliases])) {
      const others = owners.get(name) ?? []
      const other = others.find(({ id, form }) => id !== backend.id || form === backend.form)
      if (other !== undefined) problems.push(clash(name, other, backend))
      owners.set(name, [...others, backend])
    }
  }
  return problems
}

const clash = (name: string, one: BackendSummary, other: BackendSummary): string =>
  `two model backends are named "${name}": ${one.id} (${one.origin}) and ${other.id} (${other.origin}). Rename one, or give it another form (chat, simple) under the same id.`

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
