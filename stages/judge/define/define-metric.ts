import type { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import type { JsonObject, JudgeRecord, ResponseBody } from '../../../cache/records.js'
import type { Parity } from './parity.js'

/** What a metric sees of one doc. */
export interface MetricInput {
  /** The answer after the filters. */
  readonly text: string
  /** The target, or each of the targets, as text. */
  readonly references: readonly string[]
  readonly record: JudgeRecord
  /** The answer(s) as given, in the order of choice, then sample. */
  readonly bodies: readonly ResponseBody[]
  /** Set where the value is to be as somebody else's program gives it. */
  readonly parity?: Parity | undefined
}

/**
 * What a metric says of one doc. `unparsed` is for an answer that can't be read: `value` is what the benchmark counts for
 * it. There is no way to say "I don't know, so take this number".
 */
export type Verdict =
  | { readonly type: 'scored'; readonly value: Json }
  | { readonly type: 'unparsed'; readonly value: Json; readonly reason: string }
  | { readonly type: 'judge_failed'; readonly reason: string }

export const scored = (value: Json): Verdict => ({ type: 'scored', value })
export const unparsed = (reason: string, value: Json = 0): Verdict => ({ type: 'unparsed', value, reason })

/** For a judge model that failed: the doc has no value, and lowers the coverage. */
export const judgeFailed = (reason: string): Verdict => ({ type: 'judge_failed', reason })

/**
 * A file, folder or program outside this one that a metric needs. An argument of the metric's entry says where it is, else a variable of
 * the environment.
 */
export interface MetricResource {
  /** The argument of the metric that takes the path, such as `jar`. */
  readonly argument: string
  /** The environment variable that gives the path to entries that name none, such as `METEOR_JAR`. */
  readonly variable: string
  /** Whether the variable lists several folders, as `PATH` does: the first one counts. @default false */
  readonly isSearchPath?: boolean
  /** What it is, with its verb, as in `METEOR is`: for the note on an optional metric that is left out. */
  readonly what: string
  /** How to get it. It stands in the error of an entry that has no path. */
  readonly howToGet: string
  /**
   * Looks at the path before anything is scored. What it returns is added to the metric's arguments: with the digest of what is read, scores
   * by other data are other scores.
   *
   * @param said where the path was said: the variable, or the metric and its argument
   * @throws PipelineError where it can't be used
   */
  inspect(path: string, said: string): JsonObject
}

export interface MetricDefinition<Args extends z.ZodType = z.ZodType> {
  readonly id: string
  readonly args: Args
  readonly higherIsBetter: boolean
  /** What it judges: the answer's text (if not said otherwise), or the log-likelihoods of the choices or the continuation. */
  readonly reads?: 'text' | 'logprobs' | 'any'
  /** The values that a doc can have, for bounds where docs are missing. */
  readonly range?: readonly [number, number]
  /**
   * False where judging takes time in proportion to the texts, whatever they say. Arguments that hold texts, such as patterns, bring
   * the time limit back. @default true
   */
  readonly needsTimeLimit?: boolean
  /** What it needs from outside. Entries may then be `optional: true`: without the resource they only collect answers. */
  readonly resources?: readonly MetricResource[]
  /** The registered aggregation; `mean` where none is given. */
  readonly aggregation?: string
  judge(input: MetricInput, args: z.output<Args>): Verdict | Promise<Verdict>
}

/** Declares a metric: one file, one export. Its docstring gives definition, range, direction and source. */
export const defineMetric = <Args extends z.ZodType>(definition: MetricDefinition<Args>): MetricDefinition<Args> =>
  definition
