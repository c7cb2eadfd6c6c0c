import { stripWhiteSpace } from '../../../base/python/white-space.js'
import type { ResponseBody } from '../../../cache/records.js'
import type { JudgeReply } from '../define/judge-model.js'
import type { Parity } from '../define/parity.js'
import { beginsInReasoning, defaultReasoningTags, spokenText, type ReasoningTag } from './reasoning.js'

/** Says how a judge model's replies are read. */
export interface ReplyRule {
  /** The tags of the task, which hold beside the default ones. @default none */
  readonly tags?: readonly ReasoningTag[]
  readonly parity?: Parity | undefined
  /** Whether an empty reply is an answer. @default false */
  readonly mayBeEmpty?: boolean | undefined
}

const cutOff: Readonly<Partial<Record<ResponseBody['finishReason'], string>>> = {
  length: 'its reply was cut off at the maximum number of tokens',
  content_filter: "its reply was cut off by the provider's content filter",
}

/**
 * Reads a judge model's reply by the rule for answers: reasoning is removed. The reply is `failed` if it was cut off
 * or if nothing but reasoning is there, because a verdict is what the judge says last. lmms-eval reads the whole text.
 */
export function readJudgeReply(body: ResponseBody, { tags = [], parity, mayBeEmpty }: ReplyRule = {}): JudgeReply {
  if (parity === 'lmms-eval') return { type: 'answered', text: body.text }
  const allTags = [...defaultReasoningTags, ...tags]
  const text = spokenText(body, allTags)
  const isSilence = mayBeEmpty === true && stripWhiteSpace(body.text) === '' && body.reasoning === undefined
  const why =
    cutOff[body.finishReason] ?? (isSilence ? undefined : withoutVerdict(stripWhiteSpace(text), body, allTags))
  return why === undefined ? { type: 'answered', text } : { type: 'failed', reason: `the judge model: ${why}` }
}

function withoutVerdict(text: string, body: ResponseBody, tags: readonly ReasoningTag[]): string | undefined {
  // The rule for answers keeps reasoning without an end, which an answer may quote. A verdict never starts with it.
  if (beginsInReasoning(text, tags)) return 'its reply ends within its reasoning'
  if (text !== '') return undefined
  const hasThought = stripWhiteSpace(body.text) !== '' || body.reasoning !== undefined
  return hasThought ? 'its reply is reasoning without a verdict' : 'its reply is empty'
}
