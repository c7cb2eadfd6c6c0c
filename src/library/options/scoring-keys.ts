/** Converts a task's metrics and filters to the entries of `metric_list` and `filter_list` in a task file. */
import { valueKind } from '../../../base/values/value-kind.js'
import type { JsonObject } from '../../../cache/records.js'
import type { MetricContext, MetricDefinition, MetricInput } from '../../../stages/judge/define/define-metric.js'
import type { FilterDefinition } from '../../../stages/judge/define/define-filter.js'
import { noJudge } from '../../../stages/judge/define/judge-model.js'
import { isFilter, isMetric } from '../../../stages/judge/compile/registry.js'
import { callable } from '../definitions.js'
import {
  isFilterValue,
  isMetricValue,
  type AnyMetric,
  type FilterValue,
  type ScoreArgs,
  type ScoreFunction,
  type ScoreValue,
  type TextFilter,
} from '../values/values.js'

/** A chain of filters: names of built-in ones, values, results of `defineFilter`, or functions of the text. */
export type FilterSteps<Doc> = readonly (string | FilterValue<Doc> | FilterDefinition | TextFilter<Doc>)[]

type Entry = Readonly<Record<string, unknown>>

/** Makes the entries of `metric_list` from metric values by name. */
export const metricKeys = (metrics: Readonly<Record<string, AnyMetric<never, never>>>): readonly Entry[] =>
  Object.entries(metrics).map(([name, metric]) => ({ ...metricEntry(metric), name }))

function metricEntry(value: AnyMetric<never, never>): Entry {
  if (isMetric(value)) return definedMetric(value)
  if (!isMetricValue(value)) return { metric: ownMetric(value), may_abstain: true }
  const { metric, args, aggregation } = value
  const entry = { ...args, ...(aggregation && { aggregation: asFunction(aggregation) }) }
  if (typeof metric === 'string') return { ...entry, metric }
  if (isMetric(metric)) return { ...definedMetric(metric), ...entry }
  return { ...entry, metric: ownMetric(metric), may_abstain: true }
}

/** Makes the entry of a metric defined in code. The aggregation is named, so that a built-in one can be loaded. */
const definedMetric = (metric: MetricDefinition): Entry => ({
  metric: asFunction(metric),
  ...(metric.aggregation === undefined ? {} : { aggregation: metric.aggregation }),
})

/** The `define…` functions return functions. A definition written as an object is wrapped in one. */
const asFunction = (definition: object): object =>
  typeof definition === 'function' ? definition : callable(definition, () => undefined)

/** Makes a metric from a plain function. The target is read only if the function uses it. */
const ownMetric =
  (score: ScoreFunction<never, never>) =>
  (input: MetricInput, _args: JsonObject, { ask = noJudge }: Partial<MetricContext> = {}) => {
    const { record, text, bodies, attempt } = input
    const args: ScoreArgs = {
      doc: record.doc,
      text,
      bodies,
      ...(attempt && { attempt }),
      ask,
      choices: record.choices ?? [],
      get target() {
        return record.target
      },
      get references() {
        return input.references
      },
    }
    const value = score(args as ScoreArgs<never, never>)
    return value instanceof Promise ? value.then(requireValue) : requireValue(value)
  }

/** Rejects a metric that returns nothing. To leave a doc out, it must return `null`. */
function requireValue(value: ScoreValue | undefined): ScoreValue {
  if (value !== undefined) return value
  throw new Error(
    'the metric returned nothing. Return a number, true or false, or null where it does not apply to the doc',
  )
}

/** Makes the entries of `filter_list` from filters: one chain, or chains by name. */
export function filterKeys<Doc>(
  filters: FilterSteps<Doc> | Readonly<Record<string, FilterSteps<Doc>>>,
): readonly Entry[] {
  const chains: Readonly<Record<string, FilterSteps<Doc>>> = isChain(filters) ? { none: filters } : filters
  return Object.entries(chains).map(([name, steps]) => ({ name, filter: steps.map(filterEntry) }))
}

const isChain = (filters: unknown): filters is FilterSteps<never> => Array.isArray(filters)

function filterEntry(step: string | FilterValue | FilterDefinition | TextFilter<never>): Entry {
  if (typeof step === 'string') return { function: step }
  if (isFilter(step)) return { function: asFunction(step) }
  if (!isFilterValue(step)) return { function: textFilter(step) }
  const { filter, args } = step
  if (typeof filter === 'string') return { ...args, function: filter }
  return { ...args, function: isFilter(filter) ? asFunction(filter) : textFilter(filter) }
}

const textFilter = (filter: TextFilter<never>) => (texts: readonly string[], doc: JsonObject) =>
  texts.map(text => checkFiltered(filter(text, doc as never)))

/** Filters of programs in JavaScript are not type-checked. */
function checkFiltered(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Promise) value.catch(() => undefined)
  throw new Error(`a filter must return a text at once, not ${valueKind(value)}`)
}
