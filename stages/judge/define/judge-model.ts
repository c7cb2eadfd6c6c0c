import type { ContentPart, JsonObject } from '../../../cache/records.js'

/** A message to the judge model. */
export interface JudgeMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly text: string
  /** The text and media of the store in their order, which are sent instead of `text`. @default the text alone */
  readonly content?: readonly ContentPart[]
}

/**
 * A request of a task to the judge model, whose response is stored like any other. Equal prompts are one request, unless their temperature is above
 * 0. Then each doc, and each repeat within a doc, gets a separate draw.
 */
export interface JudgePrompt {
  /** The messages. A plain text is one user message. */
  readonly messages: string | readonly JudgeMessage[]
  /** The maximum length of the reply, in tokens. @default 1024 */
  readonly maxTokens?: number
  /** The sampling temperature. @default 0 */
  readonly temperature?: number
  /** The index of the sample, from 0, if one prompt is requested several times. @default the number of equal prompts of this doc before */
  readonly sample?: number
  /** The JSON schema that the reply must fit, for models with structured output. @default any text */
  readonly schema?: JsonObject
  /** Whether an empty reply is an answer, as when a speech recogniser hears silence. @default false, it is a failure */
  readonly mayBeEmpty?: boolean
  /** The name of the model in the task's code. It does not choose the judge. A note names both. */
  readonly askedFor?: string
  /** The doc that asks. It is stored with the call, and does not change its key. Set by the scorer. */
  readonly doc?: AskingDoc
  /** Watches the judge. @default it is not watched */
  readonly guard?: JudgeGuard
}

/** The doc on whose behalf a judge is asked. */
export interface AskingDoc {
  readonly task: string
  /** The doc's index in its task. */
  readonly index: number
  readonly id: string
}

/** Watches a judge. A judge that grades wrong or writes unreadable replies is stopped. */
export interface JudgeGuard {
  /** Calls with the same name share the questions with known answers. */
  readonly name: string
  /** Control questions with known answers. They are sent before the first call of this name. @default none */
  readonly known?: () => readonly KnownQuestion[]
  /** Explains why a reply is unreadable. Undefined for a readable reply. */
  readonly misread: (reply: string) => string | undefined
  /** The number of failed calls in a row that stops the judge. */
  readonly maxFailures: number
}

/** A control question with a known answer. */
export interface KnownQuestion {
  readonly prompt: JudgePrompt
  /** Describes the mistake in a reply. Undefined if the reply is right or unreadable. */
  readonly misjudge: (reply: string) => Promise<string | undefined>
}

/**
 * The judge model's reply without its reasoning. It is `failed` if the judge was unreachable, refused, was cut off or returned only reasoning. The
 * task interprets the text.
 */
export type JudgeReply =
  { readonly type: 'answered'; readonly text: string } | { readonly type: 'failed'; readonly reason: string }

/** Asks the judge model. It never throws because of the model. */
export type AskJudge = (prompt: JudgePrompt) => Promise<JudgeReply>

/** A judge model of a panel, by the name that details and reports show. */
export interface PanelJudge {
  readonly name: string
  readonly ask: AskJudge
}

/** The stored reason of scores that need a judge model if none is configured. */
export const noJudgeReason = 'no judge model is named'

/** The judge that is used if no judge model is named. It always fails. */
export const noJudge: AskJudge = () => Promise.resolve({ type: 'failed', reason: noJudgeReason })
