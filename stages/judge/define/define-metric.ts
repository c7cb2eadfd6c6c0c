import type { z } from 'zod'
import type { HelperPrograms } from '../../../base/processes/helper-programs.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { AttemptFact, ContentPart, JsonObject, JudgeRecord, ResponseBody } from '../../../cache/records.js'
import type { ScoredAttempt } from './scored-attempt.js'
import type { AskJudge } from './judge-model.js'
import type { Parity } from './parity.js'

/** The input of a metric for one doc. */
export interface MetricInput {
  /** The answer after the filters. */
  readonly text: string
  /** All texts, if a filter in Python left a list. */
  readonly texts?: readonly string[]
  /** The target or targets, as texts. */
  readonly references: readonly string[]
  /** False if the doc has no target. `references` then throw when they are read. @default true */
  readonly hasTarget?: boolean | undefined
  readonly record: JudgeRecord
  /** The media that the model made with this answer. @default none */
  readonly media?: readonly ContentPart[] | undefined
  /** The original answers, ordered by choice, then by sample. */
  readonly bodies: readonly ResponseBody[]
  /** The attempt behind this answer, if the metric declares `readsAttempt`. For log-likelihoods, it is the sum over all choices. */
  readonly attempt?: ScoredAttempt | undefined
  /** Set if values must equal those of another program. */
  readonly parity?: Parity | undefined
}

/**
 * The result of a metric for one doc. `unparsed` means that the answer can't be read, and `value` is what the
 * benchmark counts for it. A metric must not guess a value for it. `details` are stored beside the extracted answers,
 * under the metric's name.
 */
export type Verdict =
  | { readonly type: 'scored'; readonly value: Json; readonly details?: Json }
  | { readonly type: 'unparsed'; readonly value: Json; readonly reason: string; readonly details?: Json }
  | { readonly type: 'judge_failed'; readonly reason: string }

/** @param details what the value is made of, for readers of the sample */
export const scored = (value: Json, details?: Json): Verdict => ({
  type: 'scored',
  value,
  ...(details !== undefined && { details }),
})
export const unparsed = (reason: string, value: Json = 0, details?: Json): Verdict => ({
  type: 'unparsed',
  value,
  reason,
  ...(details !== undefined && { details }),
})

/** The result if the judge model failed. The doc has no value, which lowers the coverage. */
export const judgeFailed = (reason: string): Verdict => ({ type: 'judge_failed', reason })

/**
 * A file, folder or program that a metric needs from outside. Its path is an argument of the metric's entry or an
 * environment variable.
 */
export interface MetricResource {
  /** The metric's argument that takes the path, such as `jar`. */
  readonly argument: string
  /** The environment variable that is used if the entry has no path, such as `METEOR_JAR`. */
  readonly variable: string
  /** True if the variable is a list of folders, like `PATH`. The first one is used. @default false */
  readonly isSearchPath?: boolean
  /** The name and a verb, as in `METEOR is`. It is used in the note about an optional metric that is left out. */
  readonly what: string
  /** The steps to get it. The text is part of the error for an entry without a path. */
  readonly howToGet: string
  /**
   * Checks the path before scoring starts. The result is added to the metric's arguments. It contains the digest of
   * the data, so that the score keys change with the data.
   *
   * @param source where the path comes from: the variable, or the metric and its argument
   * @throws PipelineError if the path can't be used
   */
  inspect(path: string, source: string): JsonObject
}

export interface MetricDefinition<Args extends z.ZodType = z.ZodType> {
  readonly id: string
  readonly args: Args
  readonly higherIsBetter: boolean
  /**
   * The object of the metric: the answer's text, the log-likelihoods of the choices or the continuation, or either.
   * @default 'text'
   */
  readonly reads?: 'text' | 'logprobs' | 'any'
  /** The lowest and highest value of a doc, for bounds if docs are missing. */
  readonly range?: readonly [number, number]
  /** Returns the range if it depends on the arguments, or on the ranges of the metrics that it reads. @default `range` */
  findRange?(
    args: z.output<Args>,
    rangeOf: (metric: string) => readonly [number, number] | undefined,
  ): readonly [number, number] | undefined
  /** Returns the names of metrics whose verdicts this metric reads. They must be earlier in the list. @default none */
  readsMetrics?(args: z.output<Args>): readonly string[]
  /**
   * The fact of the attempt that it reads, which is then a part of the score's key. `cost` needs the price of the model.
   *
   * @default none
   */
  readonly readsAttempt?: AttemptFact
  /**
   * Whether it asks the judge model. The judge's identity is then part of the score's key, and `judge` gets `ask`.
   * @default false
   */
  readonly asksJudge?: boolean
  /**
   * False if its time is proportional to the length of the texts. Arguments that are texts, such as patterns, still
   * need the time limit.
   * @default true
   */
  readonly needsTimeLimit?: boolean
  /**
   * Resources that it needs from outside. Entries of such metrics may be `optional: true`. Without the resource
   * they become `bypass`, which only collects answers.
   */
  readonly resources?: readonly MetricResource[]
  /** The name of a registered aggregation. @default 'mean' */
  readonly aggregation?: string
  /** Merges the values of a panel's judges, if they are not numbers. @default the entry's `combine` */
  readonly pool?: ValuePool
  /**
   * Returns what the metric reads of an answer, in one form for answers that are equal to it; undefined if it can read
   * nothing. `samples: majority` votes over it. @default the whole text
   */
  readAnswer?(input: Pick<MetricInput, 'text' | 'record' | 'parity'>, args: z.output<Args>): string | undefined
  judge(input: MetricInput, args: z.output<Args>, context?: MetricContext): Verdict | Promise<Verdict>
}

/** The rule that merges the values of several judges. */
export interface ValuePool {
  /** The number by which judges are compared. */
  readNumber(value: Json): number
  combine(values: readonly Json[]): Json
}

/** Further inputs of a metric. */
export interface MetricContext {
  /** Asks the judge model. Without one, every request fails with a reason. */
  readonly ask: AskJudge
  /** Programs that the metric starts. The plan ends them. */
  readonly programs?: HelperPrograms | undefined
  /** Returns the verdict of an earlier metric on the doc, after the same filters. Undefined if that metric does not apply. */
  readonly findVerdict?: (metric: string) => Verdict | undefined
}

/** Declares a metric. Each file defines one; its docstring gives definition, range, direction and source. */
export const defineMetric = <Args extends z.ZodType>(definition: MetricDefinition<Args>): MetricDefinition<Args> =>
  definition
