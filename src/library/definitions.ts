/**
 * The `define…` functions of the library. Each returns a definition that a plugin can export, and that is also a function which makes a value:
 * `model: mine({ url })`, `metrics: { near: near({ tolerance: 1 }) }`.
 */
import { z } from 'zod'
import * as aggregation from '../../stages/judge/define/define-aggregation.js'
import * as filter from '../../stages/judge/define/define-filter.js'
import * as metric from '../../stages/judge/define/define-metric.js'
import type { JsonObject } from '../../cache/records.js'
import type { BackendArgs } from '../../stages/model/backend-args.js'
import type { BackendDraft } from '../../stages/model/define-backend.js'
import * as backend from '../../stages/model/define-backend.js'
import { modelGraded, type AggregationFactory, type FilterFactory, type MetricFactory } from './judge-functions.js'
import type { ModelFactory } from './values/models.js'
import { checkFields } from '../../base/errors/check-fields.js'
import { checkDefinition } from './options/definition-fields.js'
import { byDeclaredName, metricEntry } from './options/named-arguments.js'
import {
  aggregationBrand,
  filterBrand,
  isModelValue,
  judgeBrand,
  metricBrand,
  modelBrand,
  type JudgeValue,
  type MetricValue,
  type ModelValue,
} from './values/values.js'

/** The code of a backend that a program passes as a value. A plugin's code is known from its file. */
export type CodePlace =
  /** `import.meta.url` of the defining file. Stored answers are valid as long as this file and its imports stay the same. */
  | { readonly module?: string; readonly version?: never }
  /** A version of your own: stored answers hold until you change it. */
  | { readonly module?: never; readonly version?: string }

/** A backend, which is also a function that makes models. */
export type DefinedBackend<Shape extends BackendArgs> = backend.BackendDefinition<Shape> &
  ModelFactory<backend.BackendDefinition<Shape>>
/** A metric, which is also a function that makes entries of a metric list. */
export type DefinedMetric<Args extends z.ZodType> = metric.MetricDefinition<Args> & MetricFactory<Args>
/** A filter, which is also a function that makes entries of a filter list. */
export type DefinedFilter<Args extends z.ZodType> = filter.FilterDefinition<Args> & FilterFactory<Args>
/** An aggregation, which is also a function that makes entries of an aggregation list. */
export type DefinedAggregation<Args extends z.ZodType> = aggregation.AggregationDefinition<Args> &
  AggregationFactory<Args>

type RawArguments = Readonly<Record<string, unknown>>

/** Makes a function with all properties of a definition, even `name` and `length`. */
export const callable = <Definition extends object, Make>(definition: Definition, make: Make): Definition & Make =>
  Object.defineProperties(make, Object.getOwnPropertyDescriptors(definition)) as Definition & Make

const listNames = (args: z.ZodType): readonly string[] => (args instanceof z.ZodObject ? Object.keys(args.shape) : [])

/** Declares a model backend: one file, one export. Call it with arguments to get a model value. */
export function defineBackend<const Shape extends BackendArgs>(
  draft: BackendDraft<Shape> & CodePlace,
): DefinedBackend<Shape> {
  checkDefinition('backend', draft)
  const { module, version, ...own } = draft
  // A rest type loses the optional properties of a generic type. Only these two were removed.
  const definition = backend.defineBackend<Shape>(own)
  const code = module !== undefined ? { module } : version !== undefined ? { version } : undefined
  const names = { of: `model ${definition.id}`, declared: Object.keys(definition.args) }
  const make = (options?: RawArguments): ModelValue => ({
    [modelBrand]: true,
    kind: 'model',
    backend: definition,
    args: byDeclaredName(options, names),
    ...(code && { code }),
  })
  return callable(definition, make as unknown as ModelFactory<backend.BackendDefinition<Shape>>)
}

/** Declares a metric: one file, one export. Its docstring gives definition, range, direction and source. */
export function defineMetric<Args extends z.ZodType>(definition: metric.MetricDefinition<Args>): DefinedMetric<Args> {
  checkDefinition('metric', definition)
  const names = { of: `metric ${definition.id}`, declared: listNames(definition.args) }
  const make = (options: RawArguments = {}) => ({
    [metricBrand]: true,
    kind: 'metric',
    metric: defined,
    ...metricEntry(options, names),
  })
  const defined = callable(definition, make as unknown as MetricFactory<Args>)
  return defined
}

const makeFilter = <Args extends z.ZodType>(definition: filter.FilterDefinition<Args>): DefinedFilter<Args> => {
  const names = { of: `filter ${definition.id}`, declared: listNames(definition.args) }
  const make = (options?: RawArguments) => ({
    [filterBrand]: true,
    kind: 'filter',
    filter: defined,
    args: byDeclaredName(options, names) as JsonObject,
  })
  const defined = callable(definition, make as unknown as FilterFactory<Args>)
  return defined
}

/** Declares a filter that gets all samples of a doc together: one file, one export. */
export function defineFilter<Args extends z.ZodType>(definition: filter.FilterDefinition<Args>): DefinedFilter<Args> {
  checkDefinition('filter', definition)
  return makeFilter(definition)
}

/** Declares a filter that gets one text at a time. An unparsed answer stays unparsed, and its replacement text is filtered as well. */
export function defineTextFilter<Args extends z.ZodType>(
  definition: Parameters<typeof filter.defineTextFilter<Args>>[0],
): DefinedFilter<Args> {
  checkDefinition('textFilter', definition)
  return makeFilter(filter.defineTextFilter(definition))
}

/** Declares an aggregation: one file, one export. Its docstring gives definition and source. */
export function defineAggregation<Args extends z.ZodType>(
  definition: aggregation.AggregationDefinition<Args>,
): DefinedAggregation<Args> {
  checkDefinition('aggregation', definition)
  const declared = definition.of === 'folded' ? listNames(definition.args) : []
  const make = (options?: RawArguments) => ({
    [aggregationBrand]: true,
    kind: 'aggregation',
    aggregation: defined,
    args: byDeclaredName(options, { of: `aggregation ${definition.id}`, declared }) as JsonObject,
  })
  const defined = callable(definition, make as unknown as AggregationFactory<Args>)
  return defined
}

/** The arguments of `modelGraded`. */
export type GradedOptions = Parameters<typeof modelGraded>[0]

/** Declares the judge model of metrics. Its answers are stored and reused like any other. */
export function defineJudge(judge: { readonly model: ModelValue }): JudgeValue
/** Declares how a judge model grades: a metric, the same as `modelGraded`. */
export function defineJudge(grading: GradedOptions): MetricValue<unknown, unknown>
/** Declares a judge: a judge model, or a metric with a grading prompt. */
export function defineJudge(options: { readonly model: ModelValue } | GradedOptions): JudgeValue | MetricValue {
  if ('kind' in options) return modelGraded(options)
  checkFields(options, { model: z.custom(isModelValue).describe('a model, such as openai({…})') }, { label: 'judge' })
  return { [judgeBrand]: true, kind: 'judge', model: options.model }
}
