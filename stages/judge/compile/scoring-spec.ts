import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import type { Price } from '../../../cache/facts/compute-cost.js'
import type { CodeManifest, JsonObject, RecordMarks, ResponseBody, ScoringRules } from '../../../cache/records.js'
import type { MetricContext, MetricInput, Verdict } from '../define/define-metric.js'
import type { HelperPrograms } from '../../../base/processes/helper-programs.js'
import type { AskJudge, PanelJudge } from '../define/judge-model.js'
import type { ScoredAttempt } from '../define/scored-attempt.js'
import { sampleRule } from './over-samples.js'
import type { Parity } from '../define/parity.js'
import type { ScoringMedia } from '../python/wire-record.js'
import { defaultReasoningTags, reasoningTags } from '../text/reasoning.js'

/** A path in a task's configuration, such as `['metric_list', 0, 'metric']`. */
export type ConfigPath = readonly (string | number)[]

/** The scoring rules of one task, from its YAML. */
export interface ScoringSpec {
  readonly task: string
  readonly outputType: string
  /**
   * Everything that can change a score: `metric_list`, `filter_list`, `breakdown`, `reasoning_tags`, and whatever
   * else the task's code depends on. It is in the key of every score.
   */
  readonly config: ScoringRules
  readonly scorerCode: CodeManifest
  /** The number of samples of a doc that will be requested. Rules that need more are rejected. @default unknown */
  readonly repeats?: number | undefined
  /** The task's own `process_results`, which computes the values of the metrics in `metric_list`. */
  readonly processResults?: ProcessResults
  /**
   * True if a value of `process_results` is an error if its name looks like a misspelt metric. Functions that were
   * written for lmms-eval, which ignores such values, are taken as they are. @default true
   */
  readonly refusesMisspelt?: boolean
  /** The store's media, for functions in Python. */
  readonly media?: ScoringMedia
  /** Asks the judge model. Without it, every judge request fails with a reason. */
  readonly ask?: AskJudge
  /** The judge models of single metrics, by the metric's name, instead of `ask`. Several judges are a panel. */
  readonly judges?: ReadonlyMap<string, readonly PanelJudge[]>
  /** Reproduces the numbers of another program, even if they are wrong. */
  readonly parity?: Parity | undefined
  /** The task's functions, by their `!function` references in `config`. */
  readonly functions?: { readonly [reference: string]: TaskFunction }
  /** Returns `file:line:column` of a path in the configuration, for messages. */
  readonly locate?: (path: ConfigPath) => string
  /** Maximum milliseconds of the scoring of one doc in this process. @default the usual limit */
  readonly timeLimit?: number | undefined
  /** Programs that metrics start, and that the plan ends. @default each scorer has its own, without an environment */
  readonly programs?: HelperPrograms | undefined
  /** Hides secrets in what the task's code says. @default nothing is hidden */
  readonly hide?: ((text: string) => string) | undefined
  /** Called once with the values that are left out of the aggregates although no score is wrong. */
  readonly note?: (text: string) => void
}

/**
 * Scores a doc. Its arguments are the doc's record and one filtered result for each request. A result is a text,
 * `[log-likelihood, is greedy]`, or the answers of several rounds.
 */
export type ProcessResults = (
  doc: JsonObject,
  results: readonly Json[],
  context: ScoringContext,
) => ProcessedResults | Promise<ProcessedResults>

/** Further inputs of a task's own scoring. */
export interface ScoringContext {
  /** The doc's targets, as `doc_to_target` returned them. */
  readonly target: Json
  /** The options, if the task has any. */
  readonly choices: readonly string[]
  /**
   * The stored answers, one for each request: finish reason, reasoning and, for several rounds, all messages and
   * tool calls.
   */
  readonly bodies: readonly ResponseBody[]
  /** The attempts behind these answers, if the task has `score_attempts`. */
  readonly attempts?: readonly ScoredAttempt[] | undefined
  readonly ask: AskJudge
  /** Set if values must equal those of lmms-eval, for comparison with published ones (`--parity lmms-eval`). */
  readonly parity?: Parity | undefined
  /**
   * Normalisers by language, applied to texts before they are compared. They are the task's `normalizers`, with the
   * path of zhconv's table if the user has it.
   */
  readonly normalizers?: Normalizers | undefined
  /** Facts about the doc's values that JSON does not hold, for functions in Python. */
  readonly marks?: RecordMarks | undefined
}

/** Lists of normalisers by language. Their names are checked on first use, since the check loads them. */
export type Normalizers = Readonly<Record<string, readonly Json[]>>

/** Values by metric. A metric without a value does not apply to the doc. */
export type ProcessedResults = Readonly<Record<string, Json | Verdict | undefined>>

/** A metric, filter or aggregation that a task defines. */
export type TaskFunction = MetricFunction | FilterFunction | AggregationFunction
export type MetricFunction = (
  input: MetricInput,
  args: JsonObject,
  context: MetricContext,
) => Json | Verdict | Promise<Json | Verdict>
export type FilterFunction = (texts: readonly string[], doc: JsonObject, args: JsonObject) => readonly string[]
export type AggregationFunction = (values: readonly Json[], context: Pick<ScoringContext, 'parity'>) => number | null

const metricEntry = z.looseObject({
  metric: z.string(),
  /** True to use the metric of the package `evaluate`, with its arguments. */
  hf_evaluate: z.boolean().optional(),
  /**
   * The name of its values, if one metric is used several times with different arguments. @default the metric's
   * name
   */
  name: z.string().min(1).optional(),
  aggregation: z.string().optional(),
  higher_is_better: z.boolean().nullish(),
  /** True if a value of `null` means that the metric does not apply to the doc. */
  may_abstain: z.boolean().optional(),
  /** The way to combine the values of several samples, if the filters keep several. */
  samples: sampleRule.optional(),
  /** The filter pipelines after which it is computed. @default all pipelines */
  after: z.union([z.string().transform(name => [name]), z.array(z.string()).min(1)]).optional(),
})

const filterEntry = z.looseObject({ function: z.string() })

/** The part of a task's configuration that the judge reads. Further keys are for the task's own code. */
export const scoringConfig = z.looseObject({
  metric_list: z.array(metricEntry).min(1).optional(),
  filter_list: z
    .array(z.strictObject({ name: z.string(), filter: z.array(filterEntry).min(1) }))
    .min(1)
    .optional(),
  /** Doc fields by which scores are also reported separately. */
  breakdown: z.union([z.string().transform(field => [field]), z.array(z.string())]).default([]),
  /** The doc field that defines clusters: docs with equal values depend on each other. `none`: no docs do. @default the medium */
  cluster_key: z.string().optional(),
  /** The facts of attempts that scores depend on. */
  score_attempts: z.array(z.enum(['latency', 'cost'])).optional(),
  /** The price of the model, if scores depend on the cost of answers. */
  price: z.custom<Price>().optional(),
  /** Normalisers by language, for the task's own `process_results`. */
  normalizers: z.record(z.string(), z.array(z.union([z.string(), z.record(z.string(), z.json())]))).optional(),
  reasoning_tags: z
    .union([reasoningTags, z.enum(['none']).transform(() => []), z.literal(false).transform(() => [])])
    .nullish()
    .transform(tags => tags ?? defaultReasoningTags),
})

export type ScoringConfig = z.output<typeof scoringConfig>
export type MetricEntry = z.output<typeof metricEntry>
export type FilterEntry = z.output<typeof filterEntry>

/** The metrics of a task that names none. */
export function defaultMetrics(outputType: string): readonly MetricEntry[] {
  switch (outputType) {
    case 'multiple_choice':
      return [{ metric: 'acc' }, { metric: 'acc_norm' }]
    case 'loglikelihood':
      return [{ metric: 'perplexity' }, { metric: 'acc' }]
    case 'loglikelihood_rolling':
      return [{ metric: 'word_perplexity' }, { metric: 'byte_perplexity' }, { metric: 'bits_per_byte' }]
    default:
      return [{ metric: 'exact_match' }]
  }
}

/** Returns whether answers are log-likelihoods, not texts. */
export const givesLogprobs = (outputType: string): boolean =>
  outputType === 'multiple_choice' || outputType.startsWith('loglikelihood')
