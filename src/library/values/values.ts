/**
 * Models, metrics, filters and judges as values. Factories make them (`openai({…})`, `exactMatch()`), and `defineTask` and `evaluate` accept them.
 * Brands are registered symbols, so that two installed copies of the package accept each other's values.
 */
import type { JsonObject } from '../../../cache/records.js'
import type { AggregationDefinition } from '../../../stages/judge/define/define-aggregation.js'
import type { FilterDefinition } from '../../../stages/judge/define/define-filter.js'
import type { MetricDefinition, Verdict } from '../../../stages/judge/define/define-metric.js'
import type { AskJudge } from '../../../stages/judge/define/judge-model.js'
import type { ScoredAttempt } from '../../../stages/judge/define/scored-attempt.js'
import type { ResponseBody } from '../../../cache/records.js'
import type { AnyBackend } from '../../../stages/model/define-backend.js'
import type { ModelRequest } from '../../../stages/model/model.js'

/** Marks model values, so that they are recognized across two copies of the package. */
export const modelBrand: unique symbol = Symbol.for('pipeline.model')

/** Marks metric values. */
export const metricBrand: unique symbol = Symbol.for('pipeline.metric')

/** Marks filter values. */
export const filterBrand: unique symbol = Symbol.for('pipeline.filter')

/** Marks aggregation values. */
export const aggregationBrand: unique symbol = Symbol.for('pipeline.aggregation')

/** Marks judge values. */
export const judgeBrand: unique symbol = Symbol.for('pipeline.judge')

/** A backend with its arguments. Secrets among them are used and never stored. */
export interface ModelValue {
  readonly [modelBrand]: true
  readonly kind: 'model'
  /** The name of a registered backend, or its definition. */
  readonly backend: string | AnyBackend
  readonly args: Readonly<Record<string, unknown>>
  /** Identifies the code of a definition in response keys: `import.meta.url` of the defining file, or a version. A built-in backend has its own. */
  readonly code?: { readonly module: string } | { readonly version: string }
  /** The requests that a mock model answered, in the order of arrival. */
  readonly calls?: readonly ModelRequest[]
}

/** The fields of a doc that metrics get. Media are not available for scoring. */
export type ScoredFields<Doc> = {
  readonly [Key in keyof Doc as NonNullable<Doc[Key]> extends Uint8Array ? never : Key]: Doc[Key]
}

/** The argument of a metric function for one doc. */
export interface ScoreArgs<Doc = Readonly<Record<string, unknown>>, Target = unknown> {
  readonly doc: ScoredFields<Doc>
  /** The value that the task's `target` returned for the doc. */
  readonly target: Target
  /** The answer after the filters. */
  readonly text: string
  /** The target, or each of several targets, as text. */
  readonly references: readonly string[]
  readonly choices: readonly string[]
  /** The stored answers, with finish reasons, reasoning and log-likelihoods. */
  readonly bodies: readonly ResponseBody[]
  /** The attempt that gave the answer: seconds, tokens, cost in dollars. Set if the task has `scoreAttempts`. */
  readonly attempt?: ScoredAttempt | undefined
  /** Sends a request to the judge model. The reply is stored and reused like any other answer. */
  readonly ask: AskJudge
}

/** A score of one doc. `null` means that the metric does not apply, and leaves the doc out of its mean. */
export type ScoreValue = number | boolean | null | Verdict

/** A metric as a plain function. */
export type ScoreFunction<Doc, Target> = (args: ScoreArgs<Doc, Target>) => ScoreValue | Promise<ScoreValue>

/**
 * A metric as a value. `metric` is the name of a registered metric, its definition, or a function. `args` are the arguments in a task's YAML
 * (including `aggregation` and `higher_is_better`), and are part of the score's key.
 */
export interface MetricValue<Doc = never, Target = never> {
  readonly [metricBrand]: true
  readonly kind: 'metric'
  readonly metric: string | MetricDefinition | ScoreFunction<Doc, Target>
  readonly args: JsonObject
  /** The definition of the aggregation in `args.aggregation`, if it is not registered. */
  readonly aggregation?: AggregationDefinition
}

/** An aggregation as a value. */
export interface AggregationValue {
  readonly [aggregationBrand]: true
  readonly kind: 'aggregation'
  readonly aggregation: string | AggregationDefinition
  readonly args: JsonObject
}

/** A metric of a task: a value, a result of `defineMetric`, or a plain function. */
export type AnyMetric<Doc, Target> = MetricValue<Doc, Target> | MetricDefinition | ScoreFunction<Doc, Target>

/** A filter that is a function of one answer's text. */
export type TextFilter<Doc> = (text: string, doc: ScoredFields<Doc>) => string

/** A filter as a value: one step between answer and metrics. */
export interface FilterValue<Doc = never> {
  readonly [filterBrand]: true
  readonly kind: 'filter'
  readonly filter: string | FilterDefinition | TextFilter<Doc>
  readonly args: JsonObject
}

/** The judge model of metrics. */
export interface JudgeValue {
  readonly [judgeBrand]: true
  readonly kind: 'judge'
  readonly model: ModelValue
}

const has = (value: unknown, brand: symbol): boolean => typeof value === 'object' && value !== null && brand in value

/** Returns whether a value is a model that the library made. */
export const isModelValue = (value: unknown): value is ModelValue => has(value, modelBrand)
/** Returns whether a value is a metric that the library made. */
export const isMetricValue = (value: unknown): value is MetricValue => has(value, metricBrand)
/** Returns whether a value is a filter that the library made. */
export const isFilterValue = (value: unknown): value is FilterValue => has(value, filterBrand)
/** Returns whether a value is an aggregation that the library made. */
export const isAggregationValue = (value: unknown): value is AggregationValue => has(value, aggregationBrand)
/** Returns whether a value is a judge that the library made. */
export const isJudgeValue = (value: unknown): value is JudgeValue => has(value, judgeBrand)
