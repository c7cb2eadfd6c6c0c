import { z } from 'zod'
import { PipelineError } from '../../../../../base/errors/errors.js'
import { RecentResults } from '../../../../../base/collections/recent-map.js'
import type { ChatMessage, ResponseBody } from '../../../../../cache/records.js'
import { AttemptError } from '../../../model.js'
import { type Endpoint, shownBaseUrl } from '../../http/protocol/endpoint.js'
import { impossible } from '../../http/protocol/failure.js'
import type { ScoredText } from './completion-answer.js'
import { partsText, type ScoredParts } from './completion-request.js'
import { tokenStarts } from './token-starts.js'

/**
 * Computes the log-likelihood of a continuation: the sum over the tokens that begin in it.
 *
 * A token that begins in the context and reaches into the continuation counts as context. That follows `get_result` of
 * lm-evaluation-harness 0.4.9 (lm_eval/models/gguf.py), its only model that uses offsets.
 *
 * @throws AttemptError if tokens and text do not match, if no token begins in the continuation, or if the first token
 *   has no context and thus no log-probability
 */
export function computeLikelihood(scored: ScoredText, { context, continuation }: ScoredParts): ResponseBody {
  const { tokens, text, offsets } = scored
  const starts = tokenStarts(
    tokens.map(token => token.text),
    text,
    { offsets, boundary: context.length, mayGoOn: scored.mayGoOn },
  )
  if (starts === undefined) {
    throw impossible('the server writes the tokens so that it is not clear which of them begin in the continuation')
  }
  const end = context.length + continuation.length
  const own = tokens.filter((_, index) => {
    const start = starts[index]
    return start !== undefined && start >= context.length && start < end
  })
  if (own.length === 0)
    throw impossible('no token begins in the continuation: it is part of the last one of the context')
  const logprobs = own.flatMap(({ logprob }) => logprob ?? [])
  if (logprobs.length < own.length) {
    throw impossible(
      'nothing precedes the first token, so that it has no log-probability: give prefix_text=…, the text of the token that ' +
        'this model’s texts begin with, such as <|endoftext|>',
    )
  }
  return {
    text: '',
    finishReason: 'stop',
    logprob: logprobs.reduce((sum, logprob) => sum + logprob, 0),
    continuationTokens: own.length,
    isGreedy: own.every(({ isTop }) => isTop),
  }
}

/** Sends a request to a path under the server's origin. Returns the JSON of the response. */
type AskServer = (path: string, body: object, signal: AbortSignal) => Promise<unknown>

const tokenized = z.object({ tokens: z.array(z.number()) })
const detokenized = z.object({ prompt: z.string() })
const mostKept = 1_000

/**
 * Renders conversations with the model's own chat template, up to where the answer begins, by vLLM's `/tokenize` and
 * `/detokenize`. The last results are cached, because the choices of one question share their conversation.
 *
 * @throws PipelineError if the server does not have these calls
 */
export function serverTemplate(
  ask: AskServer,
  { endpoint, model }: { readonly endpoint: Endpoint; readonly model: string },
): (messages: readonly ChatMessage[], signal: AbortSignal) => Promise<string> {
  const root = endpoint.path.replace(/\/v1$/, '')
  const prompts = new RecentResults<string>(mostKept)
  const write = async (messages: readonly ChatMessage[], signal: AbortSignal): Promise<string> => {
    const turns = messages.map(message => ({ role: message.role, content: partsText(message) }))
    const call = { model, messages: turns, add_generation_prompt: true }
    const { tokens } = tokenized.parse(await ask(`${root}/tokenize`, call, signal))
    return detokenized.parse(await ask(`${root}/detokenize`, { model, tokens }, signal)).prompt
  }
  return (messages, signal) =>
    prompts.get(JSON.stringify(messages), () =>
      write(messages, signal).catch((error: unknown) => {
        throw withoutTemplate(error, endpoint)
      }),
    )
}

function withoutTemplate(error: unknown, endpoint: Endpoint): unknown {
  const isAbsent =
    error instanceof z.ZodError || (error instanceof AttemptError && /^(404|405|501)\b/.test(error.message))
  if (!isAbsent) return error
  return new PipelineError(
    'config',
    `${endpoint.backend}: prompt_format=template needs vLLM's calls /tokenize and /detokenize, which ${shownBaseUrl(endpoint)} does not have. Leave it out: the texts are joined then.`,
  )
}
