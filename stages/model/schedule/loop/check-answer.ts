import { PipelineError } from '../../../../base/errors.js'
import type { Input, ResponseBody } from '../../../../cache/records.js'

const finishReasons: readonly ResponseBody['finishReason'][] = [
  'stop',
  'length',
  'content_filter',
  'tool_calls',
  'unknown',
]

/**
 * Refuses an answer that no report could show, before it is kept: a plugin in JavaScript has no compiler to say so.
 *
 * @throws PipelineError
 */
export function checkAnswer(body: Partial<ResponseBody> | undefined, { type }: Input): void {
  const lacks = (what: string): never => {
    throw new PipelineError('config', `the model backend answered ${type} without ${what}`)
  }
  if (typeof body?.text !== 'string') return lacks('body.text, a text (empty for log-likelihoods)')
  if (body.finishReason === undefined || !finishReasons.includes(body.finishReason))
    return lacks(`body.finishReason, one of ${finishReasons.join(', ')}`)
  if (type.startsWith('loglikelihood') && typeof body.logprob !== 'number') return lacks('body.logprob, a number')
}
