/** What the judge is given by a store, and gives back. */
import type { AnsweredDoc, ScoreBody } from '../records.js'

/** Where a judge stands in the stream of answers. */
export interface JudgeCursor {
  readonly item: number
  readonly response: number
}

export interface JudgeBatch {
  /** Docs all of whose requests are answered, without a score in this judgement. In run order on the first pass. */
  readonly docs: readonly AnsweredDoc[]
  /** Docs whose score was in the store already, with what became of them. */
  readonly reused: readonly ScoreBody['outcome'][]
  readonly next: JudgeCursor
  /** Nothing more is there at the moment. */
  readonly exhausted: boolean
}

export interface DraftScore {
  readonly doc: AnsweredDoc
  readonly body: ScoreBody
}

/** What a judgement made of one doc. */
export interface PlacedScore {
  readonly task: number
  readonly index: number
  readonly body: ScoreBody
  /** What the judgement before made of it; the same object where it says the same. */
  readonly before?: ScoreBody
}
