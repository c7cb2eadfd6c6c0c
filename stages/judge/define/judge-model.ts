/** What a task says to the judge model. Equal prompts are one request, kept like any other. */
export interface JudgePrompt {
  /** A text is one turn of the user. */
  readonly messages: string | readonly { readonly role: 'system' | 'user' | 'assistant'; readonly text: string }[]
  /** The longest answer, in tokens; default 1,024. */
  readonly maxTokens?: number
  /** Default 0. */
  readonly temperature?: number
  /** Counts from 0 where one prompt is asked several times. */
  readonly sample?: number
}

/** A judge that was not reached, refused or gave nothing is `failed`; what its words mean is the task's to say. */
export type JudgeReply =
  { readonly type: 'answered'; readonly text: string } | { readonly type: 'failed'; readonly reason: string }

/** Never throws for the model's sake. */
export type AskJudge = (prompt: JudgePrompt) => Promise<JudgeReply>

/** Stands in where no judge model is named. */
export const noJudge: AskJudge = () =>
  Promise.resolve({ type: 'failed', reason: 'no judge model is named (--judge-model, --judge-args)' })
