import type { Aggregate, Judgement, JudgeRecord, Run, ScoreBody, TaskJudging } from '../records.js'
import type { DraftScore, JudgeBatch, JudgeCursor, PlacedScore } from './judging.js'
import type { Sample } from './sample.js'

/** What the judge stage needs of a store. */
export interface ScoringStore {
  readonly judgements: Pick<JudgementStore, 'docsToJudge' | 'commitScores' | 'scores' | 'close'>
}

/** Judgements of runs, with the scores that they refer to. */
export interface JudgementStore {
  /** Returns the judgement for these rules: the newest one where its rules are the same, else a new one. */
  open(run: Run, tasks: readonly TaskJudging[]): Promise<Judgement>
  /** All judgements of a run, newest last. */
  list(run: Run): Promise<readonly Judgement[]>
  /** Gives docs another record in this judgement than the one the run was made with: their target was mended since. */
  reviseRecords(
    judgement: Judgement,
    task: number,
    records: readonly { index: number; record: JudgeRecord }[],
  ): Promise<void>
  docsToJudge(judgement: Judgement, cursor: JudgeCursor, limit: number): Promise<JudgeBatch>
  commitScores(judgement: Judgement, scores: readonly DraftScore[]): Promise<void>
  /** Scores in the order of task and doc index; with those of the same docs in a judgement before, if one is given. */
  scores(judgement: Judgement, before?: Judgement): AsyncIterable<PlacedScore>
  /** How many docs came to which outcome. */
  outcomes(judgement: Judgement): Promise<Readonly<Partial<Record<ScoreBody['outcome'], number>>>>
  close(judgement: Judgement, aggregates: readonly Aggregate[]): Promise<Judgement>
  /** A run's docs in the order of task and doc index; with the judgement's scores, if one is given. */
  samples(run: Run, judgement?: Judgement): AsyncIterable<Sample>
}
