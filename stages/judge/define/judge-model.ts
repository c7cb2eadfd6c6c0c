import type { ContentPart, JsonObject } from '../../../cache/records.js'

/** A message to the judge model. */
export interface JudgeMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly text: string
  /** The text and media of the store in their order, which are sent instead of `text`. @default the text alone */
  readonly content?: readonly ContentPart[]
}

/**
 * A request of a task to the judge model, whose response is stored like any other. Equal prompts are one request,
 * unless their temperature is above 0: then each doc gets a draw of its own, and so does each repeat within a doc.
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
  /** The name of the model that the task's code asks for. It does not choose the judge, and a note names both. */
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

/** Watches a judge: one that grades wrong, or whose replies cannot be read, is asked nothing more. */
export interface JudgeGuard {
  /** Calls with the same name share the questions with known answers. */
  readonly name: string
  /** Questions with known answers. They are asked before the first call of this name that is sent. @default none */
  readonly known?: () => readonly KnownQuestion[]
  /** Says why a reply cannot be read; undefined if it can. */
  readonly misread: (reply: string) => string | undefined
  /** The number of failed calls in a row that stops the judge. */
  readonly maxFailures: number
}

/** A question whose answer is known. */
export interface KnownQuestion {
  readonly prompt: JudgePrompt
  /** Says in words what the reply has wrong; undefined if it is right or says nothing. */
  readonly misjudge: (reply: string) => Promise<string | undefined>
}

/**
 * The judge model's reply without its reasoning. It is `failed` if the judge was unreachable, refused, was cut off or
 * gave nothing but reasoning. The task interprets the text.
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

/** The stored reason of scores that need a judge model where none is named. */
export const noJudgeReason = 'no judge model is named'

/** The judge that is used if no judge model is named. It always fails. */
export const noJudge: AskJudge = () => Promise.resolve({ type: 'failed', reason: noJudgeReason })
