import { DisjointSets } from '../../base/collections/disjoint-sets.js'
import { ownValue } from '../../base/values/named-values.js'
import { without } from '../../base/values/without.js'
import { describeThrown } from '../../cache/code/thrown-position.js'
import type { Aggregate, ScoreBody } from '../../cache/records.js'
import { answerStats, endingStats } from './answer-stats.js'
import type { CompiledAggregation } from './compile/compile-context.js'
import { isAfter, type CompiledMetric, type CompiledScoring } from './compile/compile-scoring.js'
import { nameMetric } from './compile/named-values.js'
import { bare, type Summary } from './define/define-aggregation.js'
import { numberMedium, summaryOfDraws, summaryOfMedia } from './draws.js'
import { formatFolderPath } from './python/written-files.js'
import { withFiniteNumbers } from './finite-summary.js'
import { independent, noLabel } from './score-marks.js'
import { valueName } from './score-doc.js'
import { Parts, type AnswerSource, type Cell } from './aggregate-cells.js'
import type { Json } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import { isDisputedBy, readPanelValues } from './judges/panel.js'
import { computeAlpha } from './statistics/agreement/krippendorff.js'

/** The number of docs, scored or not; by label of the breakdown if it is known. */
export interface Totals {
  readonly docs: number
  readonly groups?: { readonly [field: string]: { readonly [label: string]: number } }
}

/**
 * Aggregates the scores of one task, added one by one in the order of the docs. It keeps eight bytes for each
 * number, or only the sums of a fold, and sixteen bytes for the doc's answer and medium.
 */
export interface Aggregator {
  add(body: ScoreBody, source?: AnswerSource): void
  /** Computes what only another process can, before `finish`. @param files the folder for files that aggregations write */
  settle(files?: string): Promise<void>
  /**
   * Aggregates by metric and filter: the whole task first, then its groups. If an aggregation fails, its `error`
   * says why.
   */
  finish(totals: Totals): readonly Aggregate[]
}

interface Column {
  readonly metric: CompiledMetric
  readonly filter: string
  readonly name: string
  readonly parts: Parts
  /** Collects the verdicts of a panel's judges. */
  readonly panel?: ReturnType<typeof collectPanel>
  /** The column of the metric that returned this value by name. */
  readonly origin?: Column
}

export function aggregator(task: string, { pipelines, metrics, config }: CompiledScoring): Aggregator {
  const together = new DisjointSets<number>()
  const columns: Column[] = metrics.flatMap(metric =>
    pipelines
      .filter(pipeline => isAfter(metric, pipeline))
      .map(({ name: filter }) => {
        const name = valueName(metric.name, filter)
        const parts = new Parts(metric, { fields: config.breakdown, names: [task, name], media: together })
        return { metric, filter, name, parts, panel: collectPanel(metric) }
      }),
  )
  const mayName = columns.filter(({ metric }) => metric.namedAggregation !== undefined)
  const addNamedColumns = ({ values }: ScoreBody): void => {
    for (const name of Object.keys(values)) {
      if (columns.some(column => column.name === name)) continue
      const origin = mayName.find(({ filter }) => filter === 'none' || name.endsWith(`,${filter}`))
      if (origin === undefined) continue
      const { filter } = origin
      const metric = nameMetric(origin.metric, filter === 'none' ? name : name.slice(0, -`,${filter}`.length))
      columns.push({ metric, filter, name, origin, parts: origin.parts.emptied(metric, [task, name]) })
    }
  }
  return {
    add(body, source = {}) {
      if (mayName.length > 0) addNamedColumns(body)
      const { media = [] } = source
      if (media.length > 1) together.join(media.map(numberMedium))
      for (const { name, parts, panel, origin } of columns) {
        parts.add(body, name, source, origin?.name)
        panel?.add(ownValue(body.extracted, name))
      }
    },
    async settle(files) {
      for (const { metric, filter, parts } of columns) {
        if (metric.aggregation.of !== 'later') continue
        const own = files && formatFolderPath(files, task, filter)
        // Files for a part of the docs would replace the files for all docs.
        for (const cell of parts.cells()) await cell.collector.settle?.(cell === parts.whole ? own : undefined)
      }
    },
    finish(totals) {
      // A metric that only returns named values has no aggregate under its own name.
      const isReplaced = (column: Column): boolean =>
        column.parts.whole.n === 0 && columns.some(({ origin }) => origin === column)
      const reported = columns.filter(column => !isReplaced(column))
      return reported.flatMap(({ metric, filter, parts, panel }) => {
        const common = { task, metric: metric.name, filter, higherIsBetter: metric.higherIsBetter }
        const { table = {}, ...summary } = summarise(parts.whole, { common, metric, total: totals.docs })
        const whole = { ...withClusterNote(summary, metric, config), ...nameJudges(metric), ...panel?.finish() }
        const groups = config.breakdown.flatMap(field => {
          const totalsByLabel = ownValue(totals.groups, field)
          const labels = new Set([...Object.keys(totalsByLabel ?? {}), ...parts.labels(field)])
          // No doc has the field, so there are no groups.
          if (labels.size === 1 && labels.has(noLabel)) return []
          return [...labels].sort(byCodeUnit).map(label => {
            const cell = parts.group(field, label)
            const group = { field, label }
            const total = ownValue(totalsByLabel, label) ?? cell.docs
            return without(summarise(cell, { common: { ...common, group }, metric, total }), 'table')
          })
        })
        // A group is left out if the metric applies to none of its docs.
        return [whole, ...listTableRows(whole, table), ...groups.filter(({ total }) => total > 0)]
      })
    },
  }
}

/** Lists the numbers of a table that an aggregation returned. They cover all docs, and their errors are unknown. */
const listTableRows = (whole: Aggregate, table: Readonly<Record<string, number>>): readonly Aggregate[] =>
  Object.entries(table).map(([name, value]) => ({
    ...without(whole, 'note', 'bounds', 'panel'),
    ...withFiniteNumbers(bare(value)),
    metric: `${whole.metric}.${name}`,
  }))

/** Adds a note if the task names a cluster key and the docs could not be clustered by it. */
function withClusterNote(
  whole: Aggregate,
  { aggregation }: CompiledMetric,
  { cluster_key: key }: CompiledScoring['config'],
): Aggregate {
  const knowsClusters =
    aggregation.of === 'folded' || (aggregation.of === 'numbers' && aggregation.summariseClustered !== undefined)
  const isMeant =
    key !== undefined &&
    key !== independent &&
    knowsClusters &&
    (aggregation.of === 'numbers' || whole.interval !== null)
  if (!isMeant || whole.value === null || whole.note !== undefined) return whole
  if (whole.intervalMethod.startsWith('clustered')) return whole
  return { ...whole, note: `of docs taken as independent: not each has a "${key}"` }
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

interface AggregateHead {
  readonly common: Pick<Aggregate, 'task' | 'metric' | 'filter' | 'higherIsBetter' | 'group'>
  readonly metric: CompiledMetric
  readonly total: number
}

function summarise(cell: Cell, { common, metric, total: docs }: AggregateHead): Aggregate & Pick<Summary, 'table'> {
  const total = docs - cell.aside
  const missing = total - cell.n
  const summary = withFiniteNumbers(computeSummary(cell, metric.aggregation))
  const isBounded = missing > 0 && metric.range !== undefined && summary.error === undefined
  const computed = isBounded ? cell.collector.bounds(missing, metric.range) : undefined
  const bounds = computed?.every(Number.isFinite) === true ? computed : undefined
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
function computeSummary(
  { n, collector, draws, units, error }: Cell,
  { id }: CompiledAggregation,
): Summary & Pick<Aggregate, 'draws' | 'media' | 'error'> {
  if (n === 0) return bare(null)
  const makeFailedSummary = (why: string): Summary & { readonly error: string } => ({
    ...bare(null),
    error: `aggregation ${id}: ${why}`,
  })
  if (error !== undefined) return makeFailedSummary(error)
  try {
    const shared = draws.shared()
    const together = units.shared()
    const summary = collector.finish(together?.clusters)
    const drawSummary = shared === undefined ? summary : summaryOfDraws(summary, n, shared)
    // Docs with one answer show the same medium. Only media join further docs.
    const isByMedia = together !== undefined && together.count < (shared?.count ?? n)
    return isByMedia ? summaryOfMedia(drawSummary, together) : drawSummary
  } catch (thrown) {
    return makeFailedSummary(describeThrown(thrown))
  }
}

/** The names of the judge models of a metric; nothing if the metric names none. */
const nameJudges = ({ judges }: Pick<CompiledMetric, 'judges'>): Pick<Aggregate, 'judges'> =>
  judges === undefined ? {} : { judges: judges.map(({ name }) => name) }

interface PanelCollector {
  /** @param details the metric's details of a doc */
  add(details: Json | undefined): void
  finish(): Pick<Aggregate, 'panel'>
}

/** Collects the values of a panel's judges for each doc. Undefined for a metric without a panel. All values stay in memory. */
function collectPanel({ judges = [] }: Pick<CompiledMetric, 'judges'>): PanelCollector | undefined {
  if (judges.length < 2) return undefined
  const ratings = judges.map((): number[] => [])
  let [docs, disputed] = [0, 0]
  return {
    add(details) {
      const values = readPanelValues(details)
      if (values?.length !== judges.length) return
      docs += 1
      if (details !== undefined && isDisputedBy(details)) disputed += 1
      for (const [i, value] of values.entries()) ratings[i]?.push(value)
    },
    finish: () => ({ panel: { docs, disputed, alpha: findAlpha(ratings) } }),
  }
}

/** Krippendorff's alpha for numbers; null if it is undefined, as when all values are equal. */
function findAlpha(ratings: readonly (readonly number[])[]): number | null {
  try {
    return computeAlpha(ratings, 'interval')
  } catch (error) {
    if (error instanceof PipelineError) return null
    throw error
  }
}
