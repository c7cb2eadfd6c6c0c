/**
 * Has a function for each built-in metric, filter and aggregation. `exactMatch({ ignoreCase: true })` is `metric: exact_match` with `ignore_case:
 * true` in a task's YAML. Types come from the schemas of the definitions. A definition is loaded when it is first used.
 */
import type { z } from 'zod'
import { aggregations as aggregationCatalogue } from '../../stages/judge/aggregations/index.js'
import type { Catalogue } from '../../stages/judge/define/catalogue.js'
import type { AggregationDefinition } from '../../stages/judge/define/define-aggregation.js'
import { filters as filterCatalogue } from '../../stages/judge/filters/index.js'
import { metrics as metricCatalogue } from '../../stages/judge/metrics/index.js'
import type { SampleRule } from '../../stages/judge/compile/over-samples.js'
import {
  byDeclaredName,
  metricEntry,
  type CamelCase,
  type NamedArguments,
  type Options,
} from './options/named-arguments.js'
import {
  aggregationBrand,
  filterBrand,
  metricBrand,
  type AggregationValue,
  type FilterValue,
  type MetricValue,
} from './values/values.js'

/** Settings that every metric accepts beside its own arguments. */
export interface MetricSettings {
  /** The aggregation of the docs' values: a built-in name, or a value. @default the metric's own */
  readonly aggregation?: string | AggregationValue | AggregationDefinition | undefined
  /** @default the metric's own */
  readonly higherIsBetter?: boolean | undefined
  /** Sets how the values of several samples of a doc become one. @default 'mean' */
  readonly samples?: SampleRule | undefined
  /** Names of the filter pipelines to score. @default all */
  readonly after?: string | readonly string[] | undefined
}

/** Makes a metric value. A built-in metric takes docs and targets of any kind. */
export type MetricFactory<Args extends z.ZodType> = (
  ...options: Options<NamedArguments<Args> & MetricSettings>
) => MetricValue<unknown, unknown>

/** Makes a filter value. */
export type FilterFactory<Args extends z.ZodType> = (...options: Options<NamedArguments<Args>>) => FilterValue<unknown>

/** Makes an aggregation value. */
export type AggregationFactory<Args extends z.ZodType> = (...options: Options<NamedArguments<Args>>) => AggregationValue

type Loaded<Load> = Load extends () => Promise<infer Definition> ? Definition : never
type ArgsOf<Definition> = Definition extends { readonly args: infer Args extends z.ZodType } ? Args : z.ZodUnknown
type FoldArgs<Definition> =
  Extract<Definition, { readonly of: 'folded' }> extends AggregationDefinition<infer Args> ? Args : z.ZodUnknown

/** The factories of built-in metrics, by name in camel case. */
export type MetricFunctions = {
  readonly [Id in keyof typeof metricCatalogue as CamelCase<Id>]: MetricFactory<
    ArgsOf<Loaded<(typeof metricCatalogue)[Id]>>
  >
}

/** The factories of built-in filters, by name in camel case. */
export type FilterFunctions = {
  readonly [Id in keyof typeof filterCatalogue as CamelCase<Id>]: FilterFactory<
    ArgsOf<Loaded<(typeof filterCatalogue)[Id]>>
  >
}

/** The factories of built-in aggregations, by name in camel case. */
export type AggregationFunctions = {
  readonly [Id in keyof typeof aggregationCatalogue as CamelCase<Id>]: AggregationFactory<
    FoldArgs<Loaded<(typeof aggregationCatalogue)[Id]>>
  >
}

const camelCase = (id: string): string => id.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Makes a function for each definition of a catalogue, named in camel case. */
function makeFunctions(
  catalogue: Catalogue<unknown>,
  make: (id: string, options: Readonly<Record<string, unknown>> | undefined) => unknown,
): unknown {
  const functions = Object.keys(catalogue).map(id => [
    camelCase(id),
    (options?: Readonly<Record<string, unknown>>) => make(id, options),
  ])
  return Object.freeze(Object.fromEntries(functions))
}

/** All built-in metrics by their names in camel case. */
export const metrics = makeFunctions(metricCatalogue, (metric, options) => ({
  [metricBrand]: true,
  kind: 'metric',
  metric,
  ...metricEntry(options ?? {}, { of: `metric ${metric}` }),
})) as MetricFunctions

/** All built-in filters by their names in camel case. */
export const filters = makeFunctions(filterCatalogue, (filter, options) => ({
  [filterBrand]: true,
  kind: 'filter',
  filter,
  args: byDeclaredName(options, { of: `filter ${filter}` }),
})) as FilterFunctions

/** All built-in aggregations by their names in camel case. */
export const aggregations = makeFunctions(aggregationCatalogue, (aggregation, options) => ({
  [aggregationBrand]: true,
  kind: 'aggregation',
  aggregation,
  args: byDeclaredName(options, { of: `aggregation ${aggregation}` }),
})) as AggregationFunctions

/** Factories of the built-in metrics. */
export const {
  exactMatch,
  contains,
  containsAny,
  containsAll,
  regex,
  length,
  jsonSchema,
  jsonField,
  latency,
  cost,
  weightedSum,
  refusal,
  optionLetter,
  optionLetters,
  numericMatch,
  acc,
  accAll,
  accNorm,
  accBytes,
  perplexity,
  accMutualInfo,
  likelihood,
  f1,
  fbeta,
  precision,
  recall,
  jaccard,
  mcc,
  balancedAccuracy,
  cohenKappa,
  brierScore,
  logLoss,
  ece,
  mce,
  wordPerplexity,
  bytePerplexity,
  bitsPerByte,
  temporalIou,
  temporalRecall,
  modelGraded,
  bypass,
  bleu,
  chrf,
  ter,
  rouge,
  cider,
  cocoBleu,
  cocoRougeL,
  meteor,
  spice,
  anls,
  relaxedAccuracy,
  vqaAccuracy,
  instructionFollowing,
  instructionAccuracy,
  mathEqual,
  wups,
  iou,
  boxAccuracy,
  centerAccuracy,
  yesNo,
  yesNoPrecision,
  yesNoRecall,
  yesNoF1,
  yesNoRatio,
  mme,
  mmeAccPlus,
  wer,
  cer,
  mer,
  wil,
  wip,
  asrWer,
  asrCer,
  accuracy,
  matthewsCorrelation,
  matthewsCorrcoef,
  sacrebleu,
  rouge1,
  rouge2,
  rougeL,
  rougeLsum,
} = metrics
