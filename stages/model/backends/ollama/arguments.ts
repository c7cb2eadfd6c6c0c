import { z } from 'zod'
import { PipelineError } from '../../../../base/errors.js'
import { without } from '../../../../base/without.js'
import { affectsOutput, transport } from '../../define-backend.js'
import { launchArgs } from '../engines/launch-arguments.js'
import type { Env } from '../http/protocol/endpoint.js'
import { chatArgs } from '../openai/chat-arguments.js'
import { isCompatible, ollamaAddress } from './address.js'

/** What only its own API takes. */
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
  models_dir: transport(z.string().min(1).optional().describe('folder of the models of a server that is started')),
}

const asked = chatArgs({
  baseUrl: 'else $OLLAMA_BASE_URL, $OLLAMA_HOST, http://127.0.0.1:11434',
  apiKey: 'else $OLLAMA_API_KEY; a local server needs none',
})

export const ollamaArgs = {
  ...without(asked, 'detail', 'max_tokens_field', 'seed_field', 'media_as'),
  ...ownArguments,
  ...startArguments,
  // The program takes no flags.
  ...without(launchArgs, 'engine_args'),
}

export type OllamaArguments = z.output<z.ZodObject<typeof ollamaArgs>>

/** @throws PipelineError for arguments that mean nothing beside the others. */
export function refuseMixed(given: OllamaArguments, env: Env): void {
  const { launch, base_url: address } = given
  const forStart = namesIn(given, ['executable', 'port', 'log_file', 'models_dir'])
  const own = namesIn(given, Object.keys(ownArguments))
  if (launch && address !== undefined) throw refusal('launch=true starts a server; leave base_url out')
  if (!launch && forStart.length > 0)
    throw refusal(`${forStart.join(', ')}: also give launch=true, which starts a server`)
  if (!launch && own.length > 0 && isCompatible(ollamaAddress(given, env)))
    throw refusal(`${own.join(', ')}: its OpenAI-compatible API has no such field. Give base_url without /v1.`)
}

/** Those that were given. */
const namesIn = (given: OllamaArguments, names: readonly string[]): readonly string[] =>
  names.filter(name => {
    const value: unknown = Reflect.get(given, name)
    return value !== undefined && JSON.stringify(value) !== '{}'
  })

const refusal = (problem: string) => new PipelineError('config', `model ollama: ${problem}`)

/** How to come by the program. */
export const installHint =
  'Install it (https://ollama.com/download), give executable=PATH, or leave launch=true out to ask one that runs'
