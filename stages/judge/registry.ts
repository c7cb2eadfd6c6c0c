import { PipelineError } from '../../base/errors.js'
import { didYouMean } from '../../base/suggest.js'
import { aggregations } from './aggregations/index.js'
import type { AggregationDefinition } from './define-aggregation.js'
import type { FilterDefinition } from './define-filter.js'
import type { MetricDefinition } from './define-metric.js'
import { filters } from './filters/index.js'
import { metrics } from './metrics/index.js'

/** What a task's YAML may name. */
export interface JudgeRegistry {
  readonly metrics: ReadonlyMap<string, MetricDefinition>
  readonly filters: ReadonlyMap<string, FilterDefinition>
  readonly aggregations: ReadonlyMap<string, AggregationDefinition>
}

/** What comes with the program. */
export const builtInJudges: JudgeRegistry = {
  metrics: byId<MetricDefinition>(metrics),
  filters: byId<FilterDefinition>(filters),
  aggregations: byId<AggregationDefinition>(aggregations),
}

/**
 * `registry` and what plugins export: metrics, filters and aggregations are taken, everything else is left alone. A name that is
 * there already now means the plugin's; `replaced` lists those, for a note.
 *
 * @throws PipelineError where two plugins' exports have one name.
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
    ...[...added.metrics.keys()].filter(id => registry.metrics.has(id)),
    ...[...added.filters.keys()].filter(id => registry.filters.has(id)),
    ...[...added.aggregations.keys()].filter(id => registry.aggregations.has(id)),
  ]
  return {
    registry: {
      metrics: new Map([...registry.metrics, ...added.metrics]),
      filters: new Map([...registry.filters, ...added.filters]),
      aggregations: new Map([...registry.aggregations, ...added.aggregations]),
    },
    replaced,
  }
}

/** `no metric "exact_mach". Did you mean "exact_match"?` */
export const unknownName = (kind: string, name: string, known: Iterable<string>): string =>
  `no ${kind} "${name}".${didYouMean(name, known)}`

export const isMetric = (value: unknown): value is MetricDefinition =>
  isDefinition(value) && hasSchema(value) && 'judge' in value && typeof value.judge === 'function'

export const isFilter = (value: unknown): value is FilterDefinition =>
  isDefinition(value) && hasSchema(value) && 'apply' in value && typeof value.apply === 'function'

export const isAggregation = (value: unknown): value is AggregationDefinition =>
  isDefinition(value) &&
  (('summarise' in value && typeof value.summarise === 'function') ||
    ('start' in value && typeof value.start === 'function' && hasSchema(value)))

const isDefinition = (value: unknown): value is { readonly id: string } =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'

const hasSchema = (value: object): boolean =>
  'args' in value && typeof value.args === 'object' && value.args !== null && 'safeParse' in value.args

function byId<Definition extends { readonly id: string }>(
  definitions: readonly Definition[],
): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>()
  for (const definition of definitions) {
    const before = found.get(definition.id)
    if (before !== undefined && before !== definition) {
      throw new PipelineError('config', `two definitions are called "${definition.id}": rename one of them`)
    }
    found.set(definition.id, definition)
  }
  return found
}
