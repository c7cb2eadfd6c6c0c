import { z } from 'zod'
import { type AnsweredApart, type BackendContext, defineBackend } from '../../../define-backend.js'
import type { Model, ModelRequest } from '../../../model.js'
import { affectsOutput, outputArgs } from '../../../backend-args.js'
import { type SendingArgs, readSending } from '../../http/protocol/api-backend.js'
import { resolveEndpoint } from '../../http/protocol/endpoint.js'
import { chatSuffix, defineChatBackend, type ChatProvider } from '../define-chat-backend.js'

export const prefixTextArg = affectsOutput(
  z
    .string()
    .default('')
    .describe('put before a scored text that nothing precedes, where the server puts no token there: <|endoftext|>'),
)

/** Arguments that decide how a scored request becomes one text. */
const completionArgs = {
  prompt_format: affectsOutput(
    z
      .enum(['plain', 'template'])
      .default('plain')
      .describe(
        'how a conversation becomes a text to score the continuation of: its texts joined, or by vLLM’s template',
      ),
  ),
  prefix_text: prefixTextArg,
}

/** Log-likelihoods use only text and other source files, so they have their own modalities and code. */
export const scoring: AnsweredApart = {
  accepts: ['text'],
  code: {
    revision: { name: 'openai_loglikelihood', number: 1 },
    files: [
      'stages/model/backends/openai/completions/completion-answer.ts',
      'stages/model/backends/openai/completions/completion-request.ts',
      'stages/model/backends/openai/completions/likelihood-client.ts',
      'stages/model/backends/openai/completions/likelihood.ts',
      'stages/model/backends/openai/completions/prompt-logprobs-probe.ts',
      'stages/model/backends/openai/completions/token-starts.ts',
    ],
  },
}

/** Defines a backend of chat completions whose completions API may also return log-probabilities of prompts. */
export function defineCompletionsBackend(provider: ChatProvider) {
  const chat = defineChatBackend(provider)
  return defineBackend({
    ...chat,
    args: { ...chat.args, ...completionArgs },
    requests: [...chat.requests, 'loglikelihood', 'loglikelihood_rolling'],
    apart: { loglikelihood: scoring, loglikelihood_rolling: scoring },
    async identify(args, context) {
      const identity = await chat.identify(args, context)
      return { ...identity, args: { ...identity.args, ...outputArgs({ args: completionArgs }, args) } }
    },
    async open(args, context) {
      return eitherModel(await chat.open(args, context), await openScoring(provider, args, context))
    },
  })
}

interface ScoringArguments extends SendingArgs {
  readonly base_url?: string | undefined
  readonly api_key?: string | undefined
  readonly model: string
  readonly prompt_format: 'plain' | 'template'
  readonly prefix_text: string
  readonly omit: readonly string[]
  readonly extra_body: Readonly<Record<string, z.core.util.JSONType>>
}

export async function openScoring(
  provider: Pick<ChatProvider, 'endpoint'>,
  args: ScoringArguments,
  context: Pick<BackendContext, 'env'>,
): Promise<Model> {
  // As for the chat, undici is loaded only when requests are sent.
  const { openLikelihoods } = await import('./likelihood-client.js')
  const endpoint = resolveEndpoint({ ...provider.endpoint, callSuffix: chatSuffix }, args, context.env)
  return openLikelihoods({ endpoint, rules: args, patience: readSending(args) })
}

/** Combines two models: one generates answers, the other scores continuations. */
export const eitherModel = (writing: Model, scoringModel: Model): Model => ({
  ...writing,
  answer: (request, signal, watch) => (isScored(request) ? scoringModel : writing).answer(request, signal, watch),
  close: async () => {
    await Promise.all([writing.close?.(), scoringModel.close?.()])
  },
})

const isScored = ({ input }: ModelRequest): boolean =>
  input.type === 'loglikelihood' || input.type === 'loglikelihood_rolling'
