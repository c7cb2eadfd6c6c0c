import { z } from 'zod'
import { defineBackend } from '../define-backend.js'
import { affectsOutput } from '../backend-args.js'
import {
  apiCode,
  apiIdentity,
  apiKeyArg,
  baseUrlArg,
  extraBodyArg,
  modelArg,
  modelVersionArg,
  omitArg,
  openApi,
  sendingArgs,
} from './http/protocol/api-backend.js'
import { withVersion, type EndpointRules } from './http/protocol/endpoint.js'
import { chatSuffix, openaiBaseUrl } from './openai/define-chat-backend.js'
import { eitherModel, openScoring, prefixTextArg, scoring } from './openai/completions/define-completions-backend.js'

const endpoint: EndpointRules = {
  backend: 'openai_completions',
  defaultBaseUrl: openaiBaseUrl,
  baseUrlVariables: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
  keyVariables: ['OPENAI_API_KEY'],
  example: 'http://127.0.0.1:8000/v1',
  callSuffix: chatSuffix,
}

/** The default of lm-evaluation-harness. Servers use 16. */
const defaultTokens = 256

const args = {
  model: modelArg,
  base_url: baseUrlArg(`else $OPENAI_BASE_URL, $OPENAI_API_BASE, ${openaiBaseUrl}`),
  model_version: modelVersionArg,
  api_key: apiKeyArg('else $OPENAI_API_KEY; a local server may need none'),
  max_gen_toks: affectsOutput(
    z.number().int().min(1).default(defaultTokens).describe('the most tokens of an answer where a task sets no limit'),
  ),
  prefix_text: prefixTextArg,
  omit: omitArg,
  extra_body: extraBodyArg(['model', 'prompt', 'stream', 'n', 'echo', 'logprobs', 'prompt_logprobs']),
  ...sendingArgs,
}

/** Adds `/v1` to the address if missing, because lm-evaluation-harness's `gguf` is given the address without it. */
const addVersion = <T extends { readonly base_url?: string | undefined }>(modelArgs: T): T =>
  modelArgs.base_url === undefined ? modelArgs : { ...modelArgs, base_url: withVersion(modelArgs.base_url) }

/** Base models through the completions API of the OpenAI protocol: the model continues a text. */
export const openaiCompletions = defineBackend({
  id: 'openai_completions',
  aliases: ['openai-completions', 'local-completions', 'gguf'],
  summary: 'base models: text completions of any server that speaks the OpenAI protocol',
  form: 'text',
  args,
  accepts: ['text'],
  requests: ['generate_until', 'loglikelihood', 'loglikelihood_rolling'],
  code: {
    revision: { name: 'openai_completions', number: 1 },
    files: [
      'stages/model/backends/openai-completions.ts',
      'stages/model/backends/openai/chat-answer.ts',
      'stages/model/backends/openai/chat-stream.ts',
      'stages/model/backends/openai/completions/completion-request.ts',
      'stages/model/backends/openai/completions/text-completions.ts',
      ...apiCode,
    ],
  },
  apart: { loglikelihood: scoring, loglikelihood_rolling: scoring },
  concurrency: 'adaptive',
  identify: async (modelArgs, { env }) => Promise.resolve(apiIdentity(endpoint, addVersion(modelArgs), { args, env })),
  async open(rawArgs, context) {
    const modelArgs = addVersion(rawArgs)
    const { textCompletions } = await import('./openai/completions/text-completions.js')
    const writing = await openApi(modelArgs, context, {
      rules: endpoint,
      protocol: at => textCompletions({ endpoint: at, rules: modelArgs }),
    })
    return eitherModel(writing, await openScoring({ endpoint }, { ...modelArgs, prompt_format: 'plain' }, context))
  },
})
