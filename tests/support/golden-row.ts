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
  /** What the benchmark's own script gives, where that is not what the reference gives. */
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
   * By metric: what our value of a doc is to be, made of the reference's. Where a metric is not named, the number, or the `score` of an
   * object, or each field that our object has too. One that gives nothing: our form is another one, and only aggregates are compared.
   */
  readonly values?: Readonly<Record<string, (expected: never, row: TaskRow) => unknown>>
  /** What the target is, where the reference's is the name of a column that its docs do not have. */
  readonly target?: (row: TaskRow) => unknown
  /** Scores as the reference does, also where that is known to be wrong. */
  readonly parity?: Parity
  /** Metrics that only a program beside this one computes: their names are compared, and no numbers. */
  readonly uncounted?: readonly string[]
  /** Why a row can't be compared. It is told in the name of the test, by the number of such rows. */
  readonly skip?: (row: TaskRow) => string | undefined
  /** What is right where a row is marked as a flaw and says so in words of its own. */
  readonly right?: (row: TaskRow) => Values | undefined
  /** The benchmark's own script is right where it and the reference differ. */
  readonly asScript?: boolean
  /** What the judge model says where a row does not tell what it said. */
  readonly judgeReply?: (row: TaskRow) => string | undefined
  /** Whether the judge model says nothing there that can be read: then ours has no score, whatever number the reference takes. */
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
