/** Metrics and filters of a task as the entries of `metric_list` and `filter_list` of a task file. */
import type { Json } from '../../base/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { MetricDefinition, MetricInput, Verdict } from '../../stages/judge/define-metric.js'
import { read, type FilterDefinition } from '../../stages/judge/define-filter.js'
import type { AggregationDefinition } from '../../stages/judge/define-aggregation.js'
import { isFilter, isMetric } from '../../stages/judge/registry.js'
import { noJudge } from '../../stages/judge/judge-model.js'
import type { MetricContext } from '../../stages/judge/scoring-spec.js'
import {
  isFilterValue,
  isMetricValue,
  type AnyMetric,
  type FilterValue,
  type ScoreArgs,
  type ScoreFunction,
  type ScoreValue,
  type TextFilter,
} from './values.js'

/** Filters one after another: names of built-in ones, values, or functions of the text. */
export type FilterSteps<Doc> = readonly (string | FilterValue<Doc> | FilterDefinition | TextFilter<Doc>)[]

type Entry = Readonly<Record<string, unknown>>

export const metricKeys = (metrics: Readonly<Record<string, AnyMetric<never, never>>>): readonly Entry[] =>
  Object.entries(metrics).map(([name, metric]) => ({ ...metricEntry(metric), name }))

function metricEntry(given: AnyMetric<never, never>): Entry {
  if (isMetric(given)) return definedMetric(given)
  if (!isMetricValue(given)) return { metric: ownMetric(given), may_abstain: true }
  const { metric, args, aggregation } = given
  const own = { ...args, ...(aggregation !== undefined && { aggregation: ownAggregation(aggregation) }) }
  if (typeof metric === 'string') return { ...own, metric }
  if (isMetric(metric)) return { ...definedMetric(metric), ...own }
  return { ...own, metric: ownMetric(metric), may_abstain: true }
}

const definedMetric = (metric: MetricDefinition): Entry => ({
  ...(metric.aggregation !== undefined && { aggregation: metric.aggregation }),
  higher_is_better: metric.higherIsBetter,
  metric: defined(metric),
})

/** What `defineAggregation` made, of which the number counts: the task's own aggregations have no interval. */
const ownAggregation =
  (aggregation: AggregationDefinition) =>
  (values: readonly Json[]): number | null => {
    if (aggregation.of === 'numbers') return aggregation.summarise(Float64Array.from(values.map(Number))).value
    if (aggregation.of === 'values') return aggregation.summarise(values).value
    const fold = aggregation.start(aggregation.args.parse({}))
    for (const value of values) fold.add(value)
    return fold.finish().value
  }

/** A metric that a function computes, as a task's own metric. What it needs of the target is only read when it asks. */
const ownMetric =
  (score: ScoreFunction<never, never>) =>
  (input: MetricInput, _args: JsonObject, { ask = noJudge }: Partial<MetricContext> = {}) => {
    const { record, text, bodies } = input
    const args: ScoreArgs = {
      doc: record.doc,
      text,
      bodies,
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
    return value instanceof Promise ? value.then(given) : given(value)
  }

/** A metric that forgets to return says nothing of the doc, which is another thing than `null`. */
function given(value: ScoreValue | undefined): ScoreValue {
  if (value !== undefined) return value
  throw new Error(
    'the metric returned nothing. Return a number, true or false, or null where it does not apply to the doc',
  )
}

/** What `defineMetric` made. Its arguments are checked once. */
function defined(metric: MetricDefinition) {
  let known: { readonly args: unknown } | undefined
  return (input: MetricInput, given: JsonObject): Verdict | Promise<Verdict> => {
    known ??= { args: metric.args.parse(given) }
    return metric.judge(input, known.args)
  }
}

export function filterKeys<Doc>(
  filters: FilterSteps<Doc> | Readonly<Record<string, FilterSteps<Doc>>>,
): readonly Entry[] {
  const chains: Readonly<Record<string, FilterSteps<Doc>>> = isChain(filters) ? { none: filters } : filters
  return Object.entries(chains).map(([name, steps]) => ({ name, filter: steps.map(filterEntry) }))
}

const isChain = (filters: unknown): filters is FilterSteps<never> => Array.isArray(filters)

function filterEntry(step: string | FilterValue | FilterDefinition | TextFilter<never>): Entry {
  if (typeof step === 'string') return { function: step }
  if (isFilter(step)) return { function: definedFilter(step) }
  if (!isFilterValue(step)) return { function: textFilter(step) }
  const { filter, args } = step
  if (typeof filter === 'string') return { ...args, function: filter }
  return { ...args, function: isFilter(filter) ? definedFilter(filter) : textFilter(filter) }
}

const textFilter = (filter: TextFilter<never>) => (texts: readonly string[], doc: JsonObject) =>
  texts.map(text => filter(text, doc as never))

/** What `defineFilter` made. */
const definedFilter =
  (filter: FilterDefinition) =>
  (texts: readonly string[], doc: JsonObject, args: JsonObject): readonly string[] =>
    filter.apply(texts.map(read), filter.args.parse(args), { doc, target: null }).map(reading => {
      if (reading.type === 'read') return reading.text
      if (reading.standIn !== undefined) return reading.standIn
      throw new Error(`filter ${filter.id}: ${reading.reason}`)
    })
