/** Defines what the judge stage reads from a store and writes to it. */
import type { AnsweredDoc, ScoreBody } from '../records.js'

/** The judge's position in the stream of answers. */
export interface JudgeCursor {
  readonly item: number
  readonly response: number
  /** The number of this process's answers that were read. Only a store of many machines has it. */
  readonly own?: number
  /** Answers of other processes up to `response` are read at `due`, in monotonic milliseconds. Only a store of many machines has it. */
  readonly others?: { readonly response: number; readonly due: number }
}

/** A score that was already in the store. */
export interface ReusedScore {
  /** Index into the run's tasks. */
  readonly task: number
  readonly outcome: ScoreBody['outcome']
}

/** The number of docs by outcome, without outcomes that no doc has. An unparsed answer has a score. */
export type OutcomeCounts = Readonly<Partial<Record<Exclude<ScoreBody['outcome'], 'unparsed'>, number>>>

/** Docs that are ready to be scored. */
export interface JudgeBatch {
  /** Completely answered docs without a score in this judgement. They are in run order on the first pass. */
  readonly docs: readonly AnsweredDoc[]
  /** The tasks and outcomes of docs whose score was already in the store. */
  readonly reused: readonly ReusedScore[]
  readonly next: JudgeCursor
  /** True if nothing more can be scored at the moment. */
  readonly exhausted: boolean
}

/** A score before it is stored. */
export interface DraftScore {
  readonly doc: AnsweredDoc
  readonly body: ScoreBody
}

/** The score of one doc in a judgement. */
export interface PlacedScore {
  readonly task: number
  readonly index: number
  readonly body: ScoreBody
  /** A number for the doc's last answer, valid only in this store. Docs with the same response key share the answer, and have the same number. */
  readonly draw?: number
  /** The media of the doc's question, see `listQuestionParts`. Absent if there are none. */
  readonly media?: readonly string[]
  /** The score in the earlier judgement. It is the same object if both are equal. */
  readonly before?: ScoreBody
}
