import type { ResponseBody } from '../../../../cache/records.js'
import { impossible } from '../http/protocol/failure.js'
import type { ScoredText } from './completion-answer.js'
import type { ScoredParts } from './completion-request.js'
import { tokenStarts } from './token-starts.js'

/**
 * The log-likelihood of a continuation: the sum over the tokens that begin in it.
 *
 * A token that begins in the context and reaches into the continuation counts as context, as in `get_result` of
 * lm-evaluation-harness 0.4.9 (lm_eval/models/gguf.py), the only one of its models that goes by offsets.
 *
 * @throws AttemptError where tokens and text do not fit together, where none begins in the continuation, and where the
 * first has no log-probability since nothing precedes it.
 */
export function likelihoodOf(scored: ScoredText, { context, continuation }: ScoredParts): ResponseBody {
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
