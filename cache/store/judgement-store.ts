import type { Aggregate, AnsweredDoc, Judgement, JudgeRecord, Run, ScoreBody, TaskJudging } from '../records.js'
import type { ComparedDoc, Sample } from './sample.js'

/** The part of the store that the judge stage uses. */
export interface ScoringStore {
  readonly judgements: Pick<JudgementStore, 'docsToJudge' | 'commitScores' | 'scores' | 'close'>
  /** See AskingStore. */
  readonly slowPollMs?: number
}

/** The place of a doc in a run: the index of its task in the run, and its index in the task. */
export interface DocPlace {
  readonly task: number
  readonly index: number
}

/** Stores judgements of runs and their scores. */
export interface JudgementStore {
  /** Returns the newest judgement of the run if it has these rules, else a new one. */
  open(run: Run, tasks: readonly TaskJudging[]): Promise<Judgement>
  /** Lists all judgements of a run, newest last. */
  list(run: Run): Promise<readonly Judgement[]>
  /** Replaces the records of docs for this judgement, because their target was corrected. */
  reviseRecords(
    judgement: Judgement,
    task: number,
    records: readonly { index: number; record: JudgeRecord }[],
  ): Promise<void>
  /**
   * Finds docs that can be scored now.
   *
   * @param choice.ownFirst true: answers of other processes are left to their judges for some seconds, so that processes on one run do not all score
   * the same docs
   */
  docsToJudge(
    judgement: Judgement,
    cursor: JudgeCursor,
    limit: number,
    choice?: { readonly ownFirst: boolean },
  ): Promise<JudgeBatch>
  commitScores(judgement: Judgement, scores: readonly DraftScore[]): Promise<void>
  /**
   * Reads scores in the order of task and doc index, with the same docs' scores in an earlier judgement if given.
   *
   * @param after begins after this doc
   */
  scores(judgement: Judgement, before?: Judgement, after?: DocPlace): AsyncIterable<PlacedScore>
  outcomes(judgement: Judgement): Promise<OutcomeCounts>
  close(judgement: Judgement, aggregates: readonly Aggregate[]): Promise<Judgement>
  /** Finds a doc by its id, which need not be unique: the first one counts. @returns its index in the task */
  findDoc(run: Run, task: number, id: string): Promise<number | undefined>
  /**
   * Reads a run's docs in the order of task and doc index, with the judgement's scores if given.
   *
   * @param after begins after this doc, for pages
   * @param first the approximate number of docs in the first read. For a single doc, use 1. @default 1,000
   */
  samples(run: Run, judgement?: Judgement, after?: DocPlace, first?: number): AsyncIterable<Sample>
  /** Reads the docs at places in a run, in the order of {@link samples}. Absent if reading them one by one is as fast. */
  samplesAt?(run: Run, judgement: Judgement | undefined, places: readonly DocPlace[]): Promise<readonly Sample[]>
  /**
   * Reads the fields of a run's docs that comparisons of scores need, in the order of {@link samples}. It is faster than `samples`, because answers
   * and prompts are not read.
   */
  comparedDocs(run: Run, judgement?: Judgement): AsyncIterable<ComparedDoc>
}

/** The judge's position in the stream of answers. */
export interface JudgeCursor {
  readonly item: number
  readonly response: number
  /** The number of this process's answers that were read. */
  readonly own?: number
  /** Answers of other processes up to `response` are read at `due`, in monotonic milliseconds. */
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
