import { addCount } from '../../base/collections/counts.js'
import type { Json } from '../../base/values/canonical-json.js'
import { growingColumn } from '../../base/collections/growing-column.js'
import { ownValue } from '../../base/values/named-values.js'
import { without } from '../../base/values/without.js'
import { reasonOf } from '../../cache/code/thrown-place.js'
import type { Aggregate, ScoreBody } from '../../cache/records.js'
import { answerStats, endingStats } from './answer-stats.js'
import type { CompiledAggregation } from './compile/compile-context.js'
import { isAfter, type CompiledMetric, type CompiledScoring } from './compile/compile-scoring.js'
import { bare, type Fold, type Summary } from './define/define-aggregation.js'
import { folderOf } from './python/written-files.js'
import { valueName } from './score-doc.js'

/** The number of docs, scored or not; by label of the breakdown if it is known. */
export interface Totals {
  readonly docs: number
  readonly groups?: { readonly [field: string]: { readonly [label: string]: number } }
}

/**
 * Aggregates the scores of one task, added one by one in the order of the docs. It keeps eight bytes for each
 * number, or only the sums of a fold.
 */
export interface Aggregator {
  add(body: ScoreBody): void
  /** Computes what only another process can, before `finish`. @param files the folder for files that aggregations write */
  settle(files?: string): Promise<void>
  /**
   * Aggregates by metric and filter: the whole task first, then its groups. If an aggregation fails, its `error`
   * says why.
   */
  finish(totals: Totals): readonly Aggregate[]
}

export function aggregator(task: string, { pipelines, metrics, config }: CompiledScoring): Aggregator {
  const columns = metrics.flatMap(metric =>
    pipelines
      .filter(pipeline => isAfter(metric, pipeline))
      .map(({ name }) => ({
        metric,
        filter: name,
        name: valueName(metric.name, name),
        parts: new Parts(metric),
      })),
  )
  return {
    add(body) {
      for (const { name, parts } of columns) parts.add(body, name)
    },
    async settle(files) {
      for (const { metric, filter, parts } of columns) {
        if (metric.aggregation.of !== 'later') continue
        const own = files && folderOf(files, task, filter)
        // The files that it writes for a part of the docs would replace those for all.
        for (const cell of parts.cells()) await cell.collector.settle?.(cell === parts.whole ? own : undefined)
      }
    },
    finish(totals) {
      return columns.flatMap(({ metric, filter, parts }) => {
        const common = { task, metric: metric.name, filter, higherIsBetter: metric.higherIsBetter }
        const { table = {}, ...summary } = summarise(parts.whole, { common, metric, total: totals.docs })
        const whole = withClusterNote(summary, metric, config)
        const groups = config.breakdown.flatMap(field => {
          const known = ownValue(totals.groups, field)
          const labels = new Set([...Object.keys(known ?? {}), ...parts.labels(field)])
          return [...labels].sort(byCodeUnit).map(label => {
            const cell = parts.group(field, label)
            const group = { field, label }
            const total = ownValue(known, label) ?? cell.docs
            return without(summarise(cell, { common: { ...common, group }, metric, total }), 'table')
          })
        })
        // A group is left out if the metric applies to none of its docs.
        return [whole, ...rowsOf(whole, table), ...groups.filter(({ total }) => total > 0)]
      })
    },
  }
}

/** The numbers of a table that an aggregation returned. They are of all docs, and nothing is known of their errors. */
const rowsOf = (whole: Aggregate, table: Readonly<Record<string, number>>): readonly Aggregate[] =>
  Object.entries(table).map(([name, value]) => ({
    ...without(whole, 'note', 'bounds'),
    ...bare(value),
    metric: `${whole.metric}.${name}`,
  }))

/** Adds a note if the task names a cluster key and the docs could not be clustered by it. */
function withClusterNote(
  whole: Aggregate,
  { aggregation }: CompiledMetric,
  { cluster_key: key }: CompiledScoring['config'],
): Aggregate {
  const isMeant = key !== undefined && aggregation.of === 'numbers' && aggregation.summariseClustered !== undefined
  if (!isMeant || whole.value === null || whole.note !== undefined) return whole
  if (whole.intervalMethod.startsWith('clustered')) return whole
  return { ...whole, note: `of docs taken as independent: not each has a "${key}"` }
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The values of one metric after one filter pipeline: for the whole task and for each label. */
class Parts {
  readonly whole: Cell
  readonly #metric: CompiledMetric
  readonly #groups = new Map<string, Map<string, Cell>>()

  constructor(metric: CompiledMetric) {
    this.#metric = metric
    this.whole = emptyCell(metric)
  }

  add(body: ScoreBody, name: string): void {
    addTo(this.whole, body, name)
    for (const field in body.groups) addTo(this.group(field, ownValue(body.groups, field) ?? ''), body, name)
  }

  *cells(): Generator<Cell> {
    yield this.whole
    for (const labels of this.#groups.values()) yield* labels.values()
  }

  labels(field: string): Iterable<string> {
    return this.#groups.get(field)?.keys() ?? []
  }

  group(field: string, label: string): Cell {
    const labels = this.#groups.get(field) ?? new Map<string, Cell>()
    this.#groups.set(field, labels)
    const cell = labels.get(label) ?? emptyCell(this.#metric)
    labels.set(label, cell)
    return cell
  }
}

interface Cell {
  readonly collector: Collector
  docs: number
  n: number
  unparsed: number
  empty: number
  cut: number
  emptyCut: number
  readonly endings: Map<string, number>
  reasoned: number
  reasoningCharacters: number
  /** Judged docs to which the metric does not apply. */
  aside: number
  /** The reason why the values can't be aggregated. */
  error?: string
}

const emptyCell = ({ aggregation, range }: CompiledMetric): Cell => ({
  collector: collectorFor(aggregation, range),
  docs: 0,
  n: 0,
  unparsed: 0,
  empty: 0,
  cut: 0,
  emptyCut: 0,
  endings: new Map(),
  reasoned: 0,
  reasoningCharacters: 0,
  aside: 0,
})

function addTo(cell: Cell, body: ScoreBody, name: string): void {
  cell.docs += 1
  if (body.outcome === 'error' || body.outcome === 'judge_failed') return
  const value = ownValue(body.values, name)
  if (value === undefined) {
    cell.aside += 1
    return
  }
  cell.n += 1
  if (body.outcome === 'unparsed' && (body.unparsed?.includes(name) ?? true)) cell.unparsed += 1
  mark(cell, body)
  try {
    cell.collector.add(value, body.cluster)
  } catch (error) {
    cell.error ??= reasonOf(error)
  }
}

function mark(cell: Cell, { empty = false, cut = false, ending, reasoning = 0 }: ScoreBody): void {
  if (empty) cell.empty += 1
  if (cut) cell.cut += 1
  if (empty && cut) cell.emptyCut += 1
  if (ending !== undefined) addCount(cell.endings, ending)
  if (reasoning > 0) cell.reasoned += 1
  cell.reasoningCharacters += reasoning
}

interface AggregateHead {
  readonly common: Pick<Aggregate, 'task' | 'metric' | 'filter' | 'higherIsBetter' | 'group'>
  readonly metric: CompiledMetric
  readonly total: number
}

function summarise(cell: Cell, { common, metric, total: docs }: AggregateHead): Aggregate & Pick<Summary, 'table'> {
  const total = docs - cell.aside
  const missing = total - cell.n
  const summary = summaryOf(cell, metric.aggregation)
  const isBounded = missing > 0 && metric.range !== undefined && summary.error === undefined
  const bounds = isBounded ? cell.collector.bounds(missing, metric.range) : undefined
  return {
    ...common,
    ...summary,
    n: cell.n,
    total,
    unparsed: cell.unparsed,
    empty: cell.empty,
    ...answerStats(cell),
    ...endingStats([...cell.endings]),
    ...(bounds && { bounds }),
  }
}

/** Computes the summary. An error is kept in it, so that other metrics and tasks still get their numbers. */
function summaryOf({ n, collector, error }: Cell, { id }: CompiledAggregation): Summary & { readonly error?: string } {
  if (n === 0) return bare(null)
  const failed = (why: string): Summary & { readonly error: string } => ({
    ...bare(null),
    error: `aggregation ${id}: ${why}`,
  })
  if (error !== undefined) return failed(error)
  try {
    return collector.finish()
  } catch (thrown) {
    return failed(reasonOf(thrown))
  }
}

/** Collects the values of one metric for one set of docs, as its aggregation needs them. */
interface Collector extends Omit<Fold, 'add'> {
  /** @param cluster the doc's value of `cluster_key`, if the task has one */
  add(value: Json, cluster?: string): void
  /** The lowest and highest result if `missing` more docs had values within `range`; undefined if it is unknown. */
  bounds(missing: number, range: readonly [number, number]): readonly [number, number] | undefined
  /** Computes what `finish` will return, in another process. */
  settle?(files: string | undefined): Promise<void>
}

/** @param range the lowest and highest value of a doc, if the metric declares them */
function collectorFor(aggregation: CompiledAggregation, range?: readonly [number, number]): Collector {
  switch (aggregation.of) {
    case 'numbers': {
      const numbers = growingColumn()
      const clusters: (string | undefined)[] = []
      let count = 0
      return {
        add(value, cluster) {
          if (typeof value !== 'number') throw new TypeError(`it takes numbers, not ${JSON.stringify(value)}`)
          numbers.push(value)
          if (cluster !== undefined) clusters[count] = cluster
          count += 1
        },
        finish() {
          const values = numbers.values()
          const clustered =
            clusters.length === 0 ? undefined : aggregation.summariseClustered?.(values, clusters, range)
          return clustered ?? aggregation.summarise(values, undefined, range)
        },
        bounds: (missing, ends) => aggregation.bounds?.(numbers.values(), missing, ends),
      }
    }
    case 'values': {
      const values: Json[] = []
      return { add: value => void values.push(value), finish: () => aggregation.summarise(values), bounds: unknown }
    }
    case 'later': {
      const values: Json[] = []
      let settled: (() => Summary) | undefined
      return {
        add: value => void values.push(value),
        async settle(files) {
          if (values.length === 0) return
          settled = await aggregation.summarise(values, files).then(
            summary => () => summary,
            (error: unknown) => () => {
              throw error
            },
          )
        },
        finish() {
          if (settled === undefined) throw new Error('internal error: it was not computed')
          return settled()
        },
        bounds: unknown,
      }
    }
    case 'folded': {
      const fold = aggregation.start()
      return { add: value => fold.add(value), finish: () => fold.finish(), bounds: unknown }
    }
  }
}

const unknown = (): undefined => undefined
