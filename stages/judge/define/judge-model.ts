import type { ContentPart } from '../../../cache/records.js'

/** A message to the judge model. */
export interface JudgeMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly text: string
  /** The text and media of the store in their order, which are sent instead of `text`. @default the text alone */
  readonly content?: readonly ContentPart[]
}

/** A request of a task to the judge model. Equal prompts are one request, and its response is stored like any other. */
export interface JudgePrompt {
  /** The messages. A plain text is one user message. */
  readonly messages: string | readonly JudgeMessage[]
  /** The maximum length of the reply, in tokens. @default 1024 */
  readonly maxTokens?: number
  /** The sampling temperature. @default 0 */
  readonly temperature?: number
  /** The index of the sample, from 0, if one prompt is requested several times. */
  readonly sample?: number
}

/**
 * The judge model's reply. It is `failed` if the judge was unreachable, refused or returned nothing. The task
 * interprets the text.
 */
export type JudgeReply =
  { readonly type: 'answered'; readonly text: string } | { readonly type: 'failed'; readonly reason: string }

/** Asks the judge model. It never throws because of the model. */
export type AskJudge = (prompt: JudgePrompt) => Promise<JudgeReply>

/** The stored reason of scores that need a judge model where none is named. */
export const noJudgeReason = 'no judge model is named'

/** The judge that is used if no judge model is named. It always fails. */
export const noJudge: AskJudge = () => Promise.resolve({ type: 'failed', reason: noJudgeReason })
