import { createHash } from 'node:crypto'
import { valueKind } from '../../base/values/value-kind.js'
import type { ResponseKey } from '../../cache/digest.js'
import { configKey, inputKey, responseKey } from '../../cache/keys.js'
import type { Failure, GenerationKwargs, Input, ResponseBody } from '../../cache/records.js'
import type { DraftDoc } from '../../cache/store.js'
import type { AskingDoc, JudgeMessage, JudgePrompt, JudgeReply } from '../../stages/judge/define/judge-model.js'
import { readJudgeReply, type ReplyRule } from '../../stages/judge/text/judge-reply.js'
import type { ModelPlan } from '../model/model-plan.js'

/** A judge's prompt as a request of the model stage. */
export interface JudgeRequest {
  readonly input: Input
  readonly generation: GenerationKwargs
  readonly sample: number
  /** The doc that asks. */
  readonly doc?: AskingDoc
}

/** @throws Error if a task's code, which need not be type-checked, asks in another form */
export function makeJudgeRequest(prompt: JudgePrompt): JudgeRequest {
  checkForm(prompt)
  const { messages, maxTokens = 1024, temperature = 0, sample = 0, schema, doc } = prompt
  const turns: readonly JudgeMessage[] = typeof messages === 'string' ? [{ role: 'user', text: messages }] : messages
  return {
    input: {
      type: 'generate_until',
      messages: turns.map(({ role, text, content = [{ type: 'text', text }] }) => ({ role, content })),
    },
    generation: {
      max_new_tokens: maxTokens,
      ...(temperature === 0 ? {} : { temperature, do_sample: true }),
      ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'verdict', schema } } }),
    },
    sample,
    ...(doc && { doc }),
  }
}

function checkForm(prompt: unknown): void {
  if (typeof prompt !== 'object' || prompt === null || !('messages' in prompt))
    throw new Error(`ask takes { messages: 'the question' }, not ${valueKind(prompt)}`)
  const { messages } = prompt
  if (typeof messages === 'string') return
  if (!Array.isArray(messages) || messages.length === 0)
    throw new Error(`ask: messages must be a text or a list of messages, not ${valueKind(messages)}`)
  for (const message of messages as readonly unknown[]) {
    const { role, text, content } = (
      typeof message === 'object' && message !== null ? message : {}
    ) as Partial<JudgeMessage>
    if (typeof role !== 'string' || (typeof text !== 'string' && !Array.isArray(content)))
      throw new Error(`ask: each message must be { role: 'user', text: '…' }, not ${valueKind(message)}`)
  }
}

export const computeRequestKey = (
  { input, generation, sample }: JudgeRequest,
  { identity, code }: ModelPlan,
): ResponseKey =>
  responseKey({ input: inputKey(input).key, config: configKey(identity, generation).key, code: code.key, sample })

/**
 * Makes the item of a call, which names the doc. Docs with equal prompts have separate items that share the request. The item's index is derived from
 * the key and the doc, so that two processes create the same item.
 */
export function makeDraft(key: ResponseKey, { input, generation, sample, doc }: JudgeRequest): DraftDoc {
  const hex = key.replace('sha256:', '')
  const own = doc === undefined ? hex : hashAsker(key, doc)
  return {
    index: Number.parseInt(own.slice(0, 12), 16),
    id: own.slice(0, 16),
    record: { target: null, doc: { ...doc } },
    requests: [{ choice: Number.parseInt(hex.slice(12, 18), 16), sample, input, generation }],
  }
}

const hashAsker = (key: ResponseKey, { task, index }: AskingDoc): string =>
  createHash('sha256')
    .update(JSON.stringify([key, task, index]))
    .digest('hex')

/** The stored outcome of a call. */
export type CallOutcome =
  | { readonly body: ResponseBody }
  | { readonly failure: Failure }
  /** The judge was stopped before the call was sent. */
  | { readonly stopped: string }

/** Converts the outcome of a call to the reply that a task gets. */
export function readReply(outcome: CallOutcome, rule?: ReplyRule): JudgeReply {
  if ('body' in outcome) return readJudgeReply(outcome.body, rule)
  if ('stopped' in outcome) return { type: 'failed', reason: outcome.stopped }
  return { type: 'failed', reason: `the judge model: ${outcome.failure.class}: ${outcome.failure.message}` }
}
