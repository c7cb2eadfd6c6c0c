import type { ResponseKey } from '../../cache/digest.js'
import { configKey, inputKey, responseKey } from '../../cache/keys.js'
import type { Failure, GenerationKwargs, Input, ResponseBody } from '../../cache/records.js'
import type { DraftDoc } from '../../cache/store.js'
import type { JudgeMessage, JudgePrompt, JudgeReply } from '../../stages/judge/define/judge-model.js'
import type { ModelPlan } from '../model/model-plan.js'

/** A judge's prompt as a request of the model stage. */
export interface JudgeRequest {
  readonly input: Input
  readonly generation: GenerationKwargs
  readonly sample: number
}

export function requestOf({ messages, maxTokens = 1024, temperature = 0, sample = 0 }: JudgePrompt): JudgeRequest {
  const turns: readonly JudgeMessage[] = typeof messages === 'string' ? [{ role: 'user', text: messages }] : messages
  return {
    input: {
      type: 'generate_until',
      messages: turns.map(({ role, text, content = [{ type: 'text', text }] }) => ({ role, content })),
    },
    generation: { max_new_tokens: maxTokens, ...(temperature === 0 ? {} : { temperature, do_sample: true }) },
    sample,
  }
}

export const keyOf = ({ input, generation, sample }: JudgeRequest, { identity, code }: ModelPlan): ResponseKey =>
  responseKey({ input: inputKey(input).key, config: configKey(identity, generation).key, code: code.key, sample })

/** The item of a call. Its place comes from its key, so that two processes create the same item. */
export function draftOf(key: ResponseKey, { input, generation, sample }: JudgeRequest): DraftDoc {
  const hex = key.replace('sha256:', '')
  return {
    index: Number.parseInt(hex.slice(0, 12), 16),
    id: hex.slice(0, 16),
    record: { target: null, doc: {} },
    requests: [{ choice: Number.parseInt(hex.slice(12, 18), 16), sample, input, generation }],
  }
}

/** Converts an answer or failure to a reply. An empty answer is a reply, too; the task interprets it. */
export const replyOf = (found: { readonly body: ResponseBody } | { readonly failure: Failure }): JudgeReply =>
  'body' in found
    ? { type: 'answered', text: found.body.text }
    : { type: 'failed', reason: `the judge model: ${found.failure.class}: ${found.failure.message}` }
