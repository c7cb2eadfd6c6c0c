import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { PipelineError } from '../../../../base/errors/errors.js'
import { readPathKind } from '../../../../base/files/path-kinds.js'
import { without } from '../../../../base/values/without.js'
import { affectsOutput, transport } from '../../backend-args.js'
import { optionalMediaArg } from '../conversion/conversion-arguments.js'
import { launchArgs } from '../engines/launchable.js'
import { firstSet } from '../http/protocol/endpoint.js'
import type { Env } from '../http/wire/proxy.js'
import { chatArgs } from '../openai/chat-arguments.js'

/** Arguments that only Ollama's own API accepts. */
const ownArguments = {
  num_ctx: affectsOutput(z.number().int().min(1).optional().describe('the longest context of a request, in tokens')),
  think: affectsOutput(
    z.union([z.boolean(), z.string()]).optional().describe('whether a thinking model thinks; low, medium, high'),
  ),
  options: affectsOutput(
    z
      .record(z.string(), z.json())
      .default({})
      .describe('further options of the model, as JSON: {"repeat_penalty":1.1}'),
  ),
  keep_alive: transport(
    z.union([z.number(), z.string()]).optional().describe('how long the model stays loaded: 10m, -1 for ever'),
  ),
}

const startArguments = {
  launch: transport(z.boolean().default(false).describe('start a server for the run instead of asking one that runs')),
  models_dir: transport(z.string().min(1).optional().describe('folder of the models of a server that is started'), {
    names: 'path',
  }),
}

const chatArguments = chatArgs({
  baseUrl: 'else $OLLAMA_BASE_URL, $OLLAMA_HOST, http://127.0.0.1:11434',
  apiKey: 'else $OLLAMA_API_KEY; a local server needs none',
})

export const ollamaArgs = {
  ...without(
    chatArguments,
    'detail',
    'max_tokens_field',
    'seed_field',
    'media',
    'media_as',
    'media_presigned',
    'media_uuid',
    'audio_in_video',
  ),
  media: optionalMediaArg,
  ...ownArguments,
  ...startArguments,
  // The program accepts no flags.
  ...without(launchArgs, 'engine_args'),
}

export type OllamaArguments = z.output<z.ZodObject<typeof ollamaArgs>>

/** @throws PipelineError for arguments that have no effect together with the others */
export function refuseMixed(args: OllamaArguments, env: Env): void {
  const { launch, base_url: address } = args
  const forStart = namesIn(args, ['executable', 'port', 'log_file', 'models_dir'])
  const own = namesIn(args, Object.keys(ownArguments))
  if (launch && address !== undefined) throw refusal('launch=true starts a server; leave base_url out')
  if (!launch && forStart.length > 0)
    throw refusal(`${forStart.join(', ')}: also give launch=true, which starts a server`)
  if (!launch && own.length > 0 && isCompatible(ollamaAddress(args, env)))
    throw refusal(`${own.join(', ')}: its OpenAI-compatible API has no such field. Give base_url without /v1.`)
}

/** Selects the arguments that were given. */
const namesIn = (args: OllamaArguments, names: readonly string[]): readonly string[] =>
  names.filter(name => {
    const value: unknown = Reflect.get(args, name)
    return value !== undefined && JSON.stringify(value) !== '{}'
  })

const refusal = (problem: string) => new PipelineError('config', `model ollama: ${problem}`)

/** Tells the user how to get the program. */
export const installHint =
  'Install it (https://ollama.com/download), give executable=PATH, or leave launch=true out to ask one that runs'

export const defaultAddress = 'http://127.0.0.1:11434'
const defaultPort = 11_434

/**
 * Finds the server's address. `$OLLAMA_HOST` may have any form that the server accepts: `0.0.0.0`, `gpu-box:11434`,
 * `http://…`.
 *
 * @throws PipelineError if it is not an address
 */
export function ollamaAddress({ base_url: baseUrl }: { readonly base_url?: string | undefined }, env: Env): string {
  const address = baseUrl ?? firstSet(env['OLLAMA_BASE_URL'])
  if (address !== undefined) return address
  const host = firstSet(env['OLLAMA_HOST'])?.trim()
  if (host === undefined) return defaultAddress
  const isWhole = host.includes('://')
  const text = isWhole ? host : `http://${host}`
  if (!URL.canParse(text))
    throw new PipelineError('config', `model ollama: $OLLAMA_HOST is no address. Give base_url=${defaultAddress}`)
  const url = new URL(text)
  // A server that listens on all interfaces is reached at the loopback address.
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.port === '' && !isWhole) url.port = String(defaultPort)
  return url.href.replace(/\/$/, '')
}

/** Tells whether an address belongs to the OpenAI-compatible API. */
export const isCompatible = (address: string): boolean => /\/v1\/?(chat\/completions)?$/.test(address)

/** Returns the folder with the models of a server that is started here. */
export const modelsFolder = (folder: string | undefined, env: Env): string =>
  resolve(firstSet(folder, env['OLLAMA_MODELS']) ?? join(firstSet(env['HOME']) ?? homedir(), '.ollama/models'))

/**
 * Reads the manifest of a model, which names the digests of all its parts.
 *
 * @throws PipelineError if the model was not downloaded
 */
export async function findManifest(model: string, folder: string): Promise<string> {
  const [, path = model, tag = 'latest'] = /^(.*?)(?::([^:/]+))?$/.exec(model) ?? []
  const parts = path.split('/')
  const [host, namespace] = ['registry.ollama.ai', 'library']
  const full = parts.length === 1 ? [host, namespace, ...parts] : parts.length === 2 ? [host, ...parts] : parts
  const file = join(folder, 'manifests', ...full, tag)
  if ((await readPathKind(file)) === 'file') return file
  throw new PipelineError(
    'config',
    `model ollama: model=${model} is not among the models in ${folder}. Fetch it (ollama pull ${model}), or name their folder with models_dir=DIR.`,
  )
}
