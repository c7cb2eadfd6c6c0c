import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { Parity } from '../../stages/judge/define/parity.js'
import { sameWithin } from './golden-tolerance.js'

export type Values = Readonly<Record<string, unknown>>

/** A row of `tests/golden/tasks/`: see the README there. */
export interface TaskRow {
  readonly id: string
  readonly kind: 'config' | 'prompt' | 'messages' | 'score' | 'aggregate' | 'load_error'
  readonly task: string
  readonly doc: Doc
  readonly kwargs: { readonly model_name: string | null }
  readonly responses: readonly unknown[]
  readonly filter: string
  readonly score_rows: readonly string[]
  readonly expected: Values
  readonly right?: Values
  /** The value of the benchmark's own script, if it differs from the reference's. */
  readonly official?: Values
  readonly lmms_eval_flaw?: boolean
  readonly random_fallback?: boolean
  readonly judge_requests?: readonly JudgeRequest[]
  readonly judge_reply?: string
}

export interface JudgeRequest {
  readonly params: { readonly max_tokens?: number; readonly temperature?: number }
  readonly messages: readonly { readonly role: string; readonly content: { readonly sha256: string } }[]
}

export interface ScoreExpectation {
  readonly filtered: unknown
  readonly result: Values
  readonly random_fallback?: boolean
}

export interface GoldenTaskOptions {
  /**
   * Computes the expected value of a doc from the reference's value, by metric. Other metrics compare the number, the `score` of an object, or each
   * field that both objects have.
   */
  readonly values?: Readonly<Record<string, (expected: never, row: TaskRow) => unknown>>
  /** Metrics whose values of docs have another form, so that only aggregates are compared. The test's name lists them. */
  readonly onlyAggregates?: readonly string[]
  /** Returns the target, if the reference's is the name of a column that its docs lack. */
  readonly target?: (row: TaskRow) => unknown
  /** Scores as the reference does, even where that is known to be wrong. */
  readonly parity?: Parity
  /** Metrics that need an external program: only their names are compared. */
  readonly uncounted?: readonly string[]
  /** Returns why a row cannot be compared. The test's name contains the reason and the number of such rows. */
  readonly skip?: (row: TaskRow) => string | undefined
  /** Returns the right values of a row that is marked as a flaw and describes it in words. */
  readonly right?: (row: TaskRow) => Values | undefined
  /** Whether the benchmark's own script is right if it and the reference differ. */
  readonly asScript?: boolean
  /** Returns the reply of the judge model, if the row does not contain it. */
  readonly judgeReply?: (row: TaskRow) => string | undefined
  /** Returns whether the judge model's reply cannot be read. Then our doc has no score, whatever number the reference uses. */
  readonly judgeFails?: (row: TaskRow) => boolean
}

export interface Loaded {
  readonly task: Task
  readonly cacheDir: string
}

export interface Context extends Loaded {
  readonly options: GoldenTaskOptions
  readonly rows: readonly TaskRow[]
}

export const differs = (what: string, ours: unknown, expected: unknown): string | undefined =>
  sameWithin(ours, expected)
    ? undefined
    : `${what} is ${ours === undefined ? 'absent' : JSON.stringify(ours)}, expected ${JSON.stringify(expected)}`

export const firstOf = (problems: Iterable<string | undefined>): string | undefined =>
  [...problems].find(problem => problem !== undefined)
