import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import type { CodeManifest, JsonObject, ResponseBody, ScoringRules } from '../../../cache/records.js'
import type { MetricInput, Verdict } from '../define/define-metric.js'
import type { AskJudge } from '../define/judge-model.js'
import { sampleRule } from './over-samples.js'
import type { Parity } from '../define/parity.js'
import { defaultReasoningTags, reasoningTags } from '../text/reasoning.js'

/** Where something stands in a task's configuration: `['metric_list', 0, 'metric']`. */
export type ConfigPath = readonly (string | number)[]

/** How one task is scored, as its YAML says it. */
export interface ScoringSpec {
  readonly task: string
  readonly outputType: string
  /**
   * Exactly what changes a score: `metric_list`, `filter_list`, `breakdown`, `reasoning_tags`, and whatever else the task's own code
   * depends on. It is in the key of every score.
   */
  readonly config: ScoringRules
  readonly scorerCode: CodeManifest
  /** The task's own `process_results`: the values of the metrics that `metric_list` names. */
  readonly processResults?: ProcessResults
  /** The judge model; without one, whatever asks it hears that there is none. */
  readonly ask?: AskJudge
  /** Whose numbers are wanted, where they are not the right ones. */
  readonly parity?: Parity | undefined
  /** What `!function` stands for, by the text that stands in its place in `config`. */
  readonly functions?: { readonly [reference: string]: TaskFunction }
  /** `file:line:column` of a place in the configuration, for messages. */
  readonly locate?: (path: ConfigPath) => string
  /** Told once what is left out of the numbers, though no doc's score is wrong by it. */
  readonly note?: (text: string) => void
}

/** Gets the doc's record, and one filtered result a request: a text, `[log-likelihood, is greedy]`, or the answers of several rounds. */
export type ProcessResults = (
  doc: JsonObject,
  results: readonly Json[],
  context: ScoringContext,
) => ProcessedResults | Promise<ProcessedResults>

/** What a task's own scoring has beside the doc and the answers. */
export interface ScoringContext {
  /** The doc's target(s), as `doc_to_target` gave them. */
  readonly target: Json
  /** The options, where the task has any. */
  readonly choices: readonly string[]
  /** The answers as they were kept, a request each: how they ended, what was thought, and of several rounds all that was said and done. */
  readonly bodies: readonly ResponseBody[]
  readonly ask: AskJudge
  /** Set where the values are to be as lmms-eval gives them, for comparison with published ones (`--parity lmms-eval`). */
  readonly parity?: Parity | undefined
  /** What texts are changed by before they are compared, by language: the task's `normalizers`, with the table of zhconv where the user has it. */
  readonly normalizers?: Normalizers | undefined
}

/** Lists of normalisers by language. Their names are checked where they are used, since that loads them. */
export type Normalizers = Readonly<Record<string, readonly Json[]>>

/** Values by metric; a metric that is left out has nothing to say of this doc. */
export type ProcessedResults = Readonly<Record<string, Json | Verdict | undefined>>

/** A metric, filter or aggregation that a task brings along. */
export type TaskFunction = MetricFunction | FilterFunction | AggregationFunction
export type MetricFunction = (
  input: MetricInput,
  args: JsonObject,
  context: MetricContext,
) => Json | Verdict | Promise<Json | Verdict>
/** What a task's own metric may use beside the doc and the answer. */
export type MetricContext = Pick<ScoringContext, 'ask'>
export type FilterFunction = (texts: readonly string[], doc: JsonObject, args: JsonObject) => readonly string[]
export type AggregationFunction = (values: readonly Json[], context: Pick<ScoringContext, 'parity'>) => number | null

const metricEntry = z.looseObject({
  metric: z.string(),
  /** Whether the name is that of a metric of the package `evaluate`, with its arguments. */
  hf_evaluate: z.boolean().optional(),
  /** What its values are called; the metric's own name if not said. For one metric with several arguments. */
  name: z.string().min(1).optional(),
  aggregation: z.string().optional(),
  higher_is_better: z.boolean().nullish(),
  /** Whether a value of `null` says that the metric does not apply to the doc. */
  may_abstain: z.boolean().optional(),
  /** What becomes of several samples, where the filters keep them. */
  samples: sampleRule.optional(),
  /** The pipelines of filters that it is given after; all of them if not said. */
  after: z.union([z.string().transform(name => [name]), z.array(z.string()).min(1)]).optional(),
})

const filterEntry = z.looseObject({ function: z.string() })

/** The part of a task's configuration that the judge reads. The rest is for the task's own code. */
export const scoringConfig = z.looseObject({
  metric_list: z.array(metricEntry).min(1).optional(),
  filter_list: z
    .array(z.strictObject({ name: z.string(), filter: z.array(filterEntry).min(1) }))
    .min(1)
    .optional(),
  /** Fields of the doc by which scores are also given apart. */
  breakdown: z.union([z.string().transform(field => [field]), z.array(z.string())]).default([]),
  /** The field of the doc whose equal values make docs dependent on each other. */
  cluster_key: z.string().optional(),
  /** For the task's own `process_results`. */
  normalizers: z.record(z.string(), z.array(z.union([z.string(), z.record(z.string(), z.json())]))).optional(),
  reasoning_tags: z
    .union([reasoningTags, z.enum(['none']).transform(() => []), z.literal(false).transform(() => [])])
    .nullish()
    .transform(tags => tags ?? defaultReasoningTags),
})

export type ScoringConfig = z.output<typeof scoringConfig>
export type MetricEntry = z.output<typeof metricEntry>
export type FilterEntry = z.output<typeof filterEntry>

/** What a task is scored by that does not say. */
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

/** Whether answers are log-likelihoods; else they are texts. */
export const givesLogprobs = (outputType: string): boolean =>
  outputType === 'multiple_choice' || outputType.startsWith('loglikelihood')
