import { PipelineError } from '../../../base/errors/errors.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { aggregations } from '../aggregations/index.js'
import { loadFrom } from '../define/catalogue.js'
import type { AggregationDefinition } from '../define/define-aggregation.js'
import type { FilterDefinition } from '../define/define-filter.js'
import type { MetricDefinition } from '../define/define-metric.js'
import { filters } from '../filters/index.js'
import { evaluateMetrics } from '../metrics/evaluate/index.js'
import { metrics } from '../metrics/index.js'

/** The loaded definitions that a task's YAML can name. */
export interface JudgeRegistry {
  readonly metrics: ReadonlyMap<string, MetricDefinition>
  readonly filters: ReadonlyMap<string, FilterDefinition>
  readonly aggregations: ReadonlyMap<string, AggregationDefinition>
  /** All names, of loaded and unloaded definitions. */
  readonly names: {
    readonly metrics: readonly string[]
    readonly filters: readonly string[]
    readonly aggregations: readonly string[]
  }
}

const builtInNames = {
  metrics: Object.keys(metrics),
  filters: Object.keys(filters),
  aggregations: Object.keys(aggregations),
}

/** Loads the built-in definitions with these names, and the default aggregations of these metrics. */
export async function loadJudges(wanted: {
  readonly metrics: Iterable<string>
  readonly filters: Iterable<string>
  readonly aggregations: Iterable<string>
}): Promise<JudgeRegistry> {
  const [loadedMetrics, loadedFilters] = await Promise.all([
    loadFrom<MetricDefinition>({ ...metrics, ...evaluateMetrics }, wanted.metrics),
    loadFrom<FilterDefinition>(filters, wanted.filters),
  ])
  const implied = [...loadedMetrics.values()].flatMap(({ aggregation }) => aggregation ?? [])
  return {
    metrics: loadedMetrics,
    filters: loadedFilters,
    aggregations: await loadFrom<AggregationDefinition>(aggregations, ['mean', ...implied, ...wanted.aggregations]),
    names: builtInNames,
  }
}

/** Loads all built-in definitions. */
export const loadAllJudges = (): Promise<JudgeRegistry> => loadJudges(builtInNames)

/**
 * Adds the metrics, filters and aggregations that plugins export; other exports are ignored. A plugin's definition
 * replaces a built-in one with the same name, and `replaced` lists these names.
 *
 * @throws PipelineError if two plugins export the same name.
 */
export function withJudgePlugins(
  registry: JudgeRegistry,
  exported: readonly unknown[],
): { readonly registry: JudgeRegistry; readonly replaced: readonly string[] } {
  const added = {
    metrics: byId(exported.filter(isMetric)),
    filters: byId(exported.filter(isFilter)),
    aggregations: byId(exported.filter(isAggregation)),
  }
  const replaced = [
    ...[...added.metrics.keys()].filter(id => registry.names.metrics.includes(id)),
    ...[...added.filters.keys()].filter(id => registry.names.filters.includes(id)),
    ...[...added.aggregations.keys()].filter(id => registry.names.aggregations.includes(id)),
  ]
  return {
    registry: {
      metrics: new Map([...registry.metrics, ...added.metrics]),
      filters: new Map([...registry.filters, ...added.filters]),
      aggregations: new Map([...registry.aggregations, ...added.aggregations]),
      names: {
        metrics: [...new Set([...registry.names.metrics, ...added.metrics.keys()])],
        filters: [...new Set([...registry.names.filters, ...added.filters.keys()])],
        aggregations: [...new Set([...registry.names.aggregations, ...added.aggregations.keys()])],
      },
    },
    replaced,
  }
}

/** Names of built-in definitions that plugins replace. */
export const replacedJudges = (exported: readonly unknown[]): readonly string[] =>
  withJudgePlugins({ metrics: new Map(), filters: new Map(), aggregations: new Map(), names: builtInNames }, exported)
    .replaced

/** A message such as `no metric "exact_mach". Did you mean "exact_match"?`. */
export const unknownName = (kind: string, name: string, names: Iterable<string>): string =>
  `no ${kind} "${name}".${didYouMean(name, names)}`

export const isMetric = (value: unknown): value is MetricDefinition =>
  isDefinition(value) && hasSchema(value) && 'judge' in value && typeof value.judge === 'function'

export const isFilter = (value: unknown): value is FilterDefinition =>
  isDefinition(value) && hasSchema(value) && 'apply' in value && typeof value.apply === 'function'

export const isAggregation = (value: unknown): value is AggregationDefinition =>
  isDefinition(value) &&
  (('summarise' in value && typeof value.summarise === 'function') ||
    ('start' in value && typeof value.start === 'function' && hasSchema(value)))

/**
 * Definitions are objects, or the functions with the definition's properties that the library's `define…` functions
 * return.
 */
const isDefinition = (value: unknown): value is { readonly id: string } =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string'

const hasSchema = (value: object): boolean =>
  'args' in value && typeof value.args === 'object' && value.args !== null && 'safeParse' in value.args

function byId<Definition extends { readonly id: string }>(
  definitions: readonly Definition[],
): ReadonlyMap<string, Definition> {
  const definitionsById = new Map<string, Definition>()
  for (const definition of definitions) {
    const before = definitionsById.get(definition.id)
    if (before !== undefined && before !== definition) {
      throw new PipelineError('config', `two definitions are called "${definition.id}": rename one of them`)
    }
    definitionsById.set(definition.id, definition)
  }
  return definitionsById
}
