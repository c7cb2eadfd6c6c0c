/**
 * What `define…` gives a program: the definition, which a plugin exports, and at the same time a function that makes a value of it:
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
import type { AggregationFactory, FilterFactory, MetricFactory } from './judge-functions.js'
import type { ModelFactory } from './models.js'
import { byDeclaredName, metricEntry } from './named-arguments.js'
import {
  aggregationBrand,
  filterBrand,
  judgeBrand,
  metricBrand,
  modelBrand,
  type JudgeValue,
  type ModelValue,
} from './values.js'

/** Where the code of a backend is, for a program that passes it as a value. A plugin's code is known by its file. */
export type CodePlace =
  /** `import.meta.url` of the file that defines it: stored answers hold as long as the file and what it imports stay the same. */
  | { readonly module?: string; readonly version?: never }
  /** A version of your own: stored answers hold until you change it. */
  | { readonly module?: never; readonly version?: string }

export type DefinedBackend<Shape extends BackendArgs> = backend.BackendDefinition<Shape> &
  ModelFactory<backend.BackendDefinition<Shape>>
export type DefinedMetric<Args extends z.ZodType> = metric.MetricDefinition<Args> & MetricFactory<Args>
export type DefinedFilter<Args extends z.ZodType> = filter.FilterDefinition<Args> & FilterFactory<Args>
export type DefinedAggregation<Args extends z.ZodType> = aggregation.AggregationDefinition<Args> &
  AggregationFactory<Args>

type Given = Readonly<Record<string, unknown>>

/** A function with all properties of a definition; its own `name` and `length` give way to the definition's. */
export const callable = <Definition extends object, Make>(definition: Definition, make: Make): Definition & Make =>
  Object.defineProperties(make, Object.getOwnPropertyDescriptors(definition)) as Definition & Make

const namesOf = (args: z.ZodType): readonly string[] => (args instanceof z.ZodObject ? Object.keys(args.shape) : [])

/** Declares a model backend: one file, one export. Call it with arguments for a model that can be passed as a value. */
export function defineBackend<const Shape extends BackendArgs>(
  draft: BackendDraft<Shape> & CodePlace,
): DefinedBackend<Shape> {
  const { module, version, ...own } = draft
  // Rest loses which of the optional properties of a generic type there are; nothing but the two was taken away.
  const definition = backend.defineBackend<Shape>(own)
  const place = module !== undefined ? { module } : version !== undefined ? { version } : undefined
  const names = { of: `model ${definition.id}`, declared: Object.keys(definition.args) }
  const make = (options?: Given): ModelValue => ({
    [modelBrand]: true,
    kind: 'model',
    backend: definition,
    args: byDeclaredName(options, names),
    ...(place && { code: place }),
  })
  return callable(definition, make as unknown as ModelFactory<backend.BackendDefinition<Shape>>)
}

/** Declares a metric: one file, one export. Its docstring gives definition, range, direction and source. */
export function defineMetric<Args extends z.ZodType>(definition: metric.MetricDefinition<Args>): DefinedMetric<Args> {
  const names = { of: `metric ${definition.id}`, declared: namesOf(definition.args) }
  const make = (options: Given = {}) => ({
    [metricBrand]: true,
    kind: 'metric',
    metric: defined,
    ...metricEntry(options, names),
  })
  const defined = callable(definition, make as unknown as MetricFactory<Args>)
  return defined
}

const filterOf = <Args extends z.ZodType>(definition: filter.FilterDefinition<Args>): DefinedFilter<Args> => {
  const names = { of: `filter ${definition.id}`, declared: namesOf(definition.args) }
  const make = (options?: Given) => ({
    [filterBrand]: true,
    kind: 'filter',
    filter: defined,
    args: byDeclaredName(options, names) as JsonObject,
  })
  const defined = callable(definition, make as unknown as FilterFactory<Args>)
  return defined
}

/** Declares a filter that looks at all samples of a doc at once: one file, one export. */
export const defineFilter = <Args extends z.ZodType>(definition: filter.FilterDefinition<Args>): DefinedFilter<Args> =>
  filterOf(definition)

/** Declares a filter that reads each text by itself. What was unparsed stays so; its stand-in is read like a text. */
export const defineTextFilter = <Args extends z.ZodType>(
  definition: Parameters<typeof filter.defineTextFilter<Args>>[0],
): DefinedFilter<Args> => filterOf(filter.defineTextFilter(definition))

/** Declares an aggregation: one file, one export. Its docstring gives definition and source. */
export function defineAggregation<Args extends z.ZodType>(
  definition: aggregation.AggregationDefinition<Args>,
): DefinedAggregation<Args> {
  const declared = definition.of === 'folded' ? namesOf(definition.args) : []
  const make = (options?: Given) => ({
    [aggregationBrand]: true,
    kind: 'aggregation',
    aggregation: defined,
    args: byDeclaredName(options, { of: `aggregation ${definition.id}`, declared }) as JsonObject,
  })
  const defined = callable(definition, make as unknown as AggregationFactory<Args>)
  return defined
}

/** The model that metrics ask. Its answers are stored and reused like any other. */
export const defineJudge = ({ model }: { readonly model: ModelValue }): JudgeValue => ({
  [judgeBrand]: true,
  kind: 'judge',
  model,
})
