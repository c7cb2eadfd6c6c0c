import { metricLabel } from '../metric-label.js'
import { comparePaired, type PairedComparison } from '../../../stages/judge/statistics/paired/compare-paired.js'
import { findWorse, type ComparisonWithBest } from '../../../stages/judge/statistics/multiplicity/find-worse.js'
import type { Aggregate } from '../../../cache/records.js'
import { metricKey, pairMetrics, scoredDocs, type ScoredDocs } from './pair-samples.js'
import type { ScoredRun } from './scored-run.js'

/** A metric of a task or group in several columns. A column is a run, or several runs of one model. */
export interface ComparedRow {
  /** One of the aggregates, for its names. */
  readonly first: Aggregate
  /** The results in the order of the columns. A column without the metric has none. */
  readonly results: readonly (Aggregate | undefined)[]
  /** The runs that the results come from. */
  readonly sources: readonly (ScoredRun | undefined)[]
  /** The index of the column that is better than every other one. Absent if a difference may be chance. */
  readonly best?: number
  /**
   * The indexes of the column with the best score and of columns that are not significantly worse. Empty if one column is the best, or if nothing is
   * compared.
   */
  readonly ties: readonly number[]
}

/**
 * Puts the results of columns side by side, without breakdowns. For each metric, a column shows its run with the most docs, the first among equals. A
 * column is the best only if the paired comparison finds it better than every other column with the metric. The comparisons allow for all columns and rows
 * of the table, and for the choice of the column with the best score. Groups of tasks have no docs, so no column is the best for a group.
 */
export async function compareColumns(columns: readonly (readonly ScoredRun[])[]): Promise<readonly ComparedRow[]> {
  const rows = new Map<string, Aggregate>()
  for (const aggregate of columns.flat().flatMap(listWhole))
    if (!rows.has(rowKey(aggregate))) rows.set(rowKey(aggregate), aggregate)
  const tasksFirst = [...rows].sort(([, a], [, b]) => Number(a.of !== undefined) - Number(b.of !== undefined))
  const compared = tasksFirst.map(([key, first]) => {
    const cells = columns.map(runs => findCell(runs, key))
    const results = cells.map(cell => cell?.result)
    const sources = cells.map(cell => cell?.source)
    const leader = first.of === undefined ? findHighest(results, first.higherIsBetter) : undefined
    const others = results.flatMap((result, index) =>
      leader !== undefined && hasValue(result) && index !== leader ? [index] : [],
    )
    return { first, results, sources, leader, others }
  })
  const losers = await listLosers(compared)
  return compared.map(({ first, results, sources, leader, others }, row): ComparedRow => {
    if (leader === undefined || others.length === 0) return { first, results, sources, ties: [] }
    const tied = others.filter(other => !losers.has(`${row} ${other}`))
    return tied.length === 0
      ? { first, results, sources, best: leader, ties: [] }
      : { first, results, sources, ties: [leader, ...tied].sort((a, b) => a - b) }
  })
}

const listWhole = ({ judgement }: ScoredRun): readonly Aggregate[] =>
  judgement.aggregates.filter(({ group }) => group === undefined)

/** A try over ten docs does not displace a run over all of them. */
function findCell(
  runs: readonly ScoredRun[],
  key: string,
): { readonly result: Aggregate; readonly source: ScoredRun } | undefined {
  let cell: { readonly result: Aggregate; readonly source: ScoredRun } | undefined
  for (const source of runs) {
    const result = listWhole(source).find(aggregate => rowKey(aggregate) === key)
    if (result !== undefined && (cell === undefined || result.total > cell.result.total)) cell = { result, source }
  }
  return cell
}

const rowKey = (aggregate: Aggregate): string =>
  `${aggregate.of === undefined ? 'task' : 'group'} ${metricKey(aggregate.task, metricLabel(aggregate))}`

const hasValue = (result: Aggregate | undefined): boolean => result !== undefined && result.value !== null

function findHighest(results: readonly (Aggregate | undefined)[], higherIsBetter: boolean): number | undefined {
  const values = results.flatMap((result, index) => (hasValue(result) ? [{ index, value: result?.value ?? 0 }] : []))
  return values.sort((a, b) => (higherIsBetter ? b.value - a.value : a.value - b.value))[0]?.index
}

interface LedRow extends Pick<ComparedRow, 'first' | 'sources'> {
  readonly leader: number | undefined
  readonly others: readonly number[]
}

/** Lists the row and the column, as `row column`, of each column that is worse than the leader of the row. */
async function listLosers(rows: readonly LedRow[]): Promise<ReadonlySet<string>> {
  const docs = new Map<ScoredRun, ScoredDocs>()
  // Pairs of all docs are large. Only the comparisons are kept.
  const comparisonsByRun = new Map<ScoredRun, Map<ScoredRun, ReadonlyMap<string, PairedComparison>>>()
  const comparisons: ComparisonWithBest[][] = []
  for (const { first, sources, leader, others } of rows) {
    const ofRow: ComparisonWithBest[] = []
    for (const other of others) {
      const [best, candidate] = [leader === undefined ? undefined : sources[leader], sources[other]]
      const compared =
        best && candidate && (await compare(best, candidate)).get(metricKey(first.task, metricLabel(first)))
      // A column that cannot be compared is one of those that the best was chosen from.
      if (compared === undefined) ofRow.push({ isBelow: false })
      else
        ofRow.push({ p: compared.p, isBelow: first.higherIsBetter ? compared.difference > 0 : compared.difference < 0 })
    }
    comparisons.push(ofRow)
  }
  const worse = findWorse(comparisons)
  return new Set(
    rows.flatMap(({ others }, row) =>
      others.flatMap((other, at) => (worse[row]?.[at] === true ? [`${row} ${other}`] : [])),
    ),
  )

  async function compare(leader: ScoredRun, other: ScoredRun): Promise<ReadonlyMap<string, PairedComparison>> {
    const ofLeader = comparisonsByRun.get(leader) ?? new Map<ScoredRun, ReadonlyMap<string, PairedComparison>>()
    comparisonsByRun.set(leader, ofLeader)
    const comparisonsByMetric = ofLeader.get(other) ?? comparePair(await makeSide(other), await makeSide(leader))
    ofLeader.set(other, comparisonsByMetric)
    return comparisonsByMetric
  }

  async function makeSide(source: ScoredRun) {
    const { store, run, judgement } = source
    const values = docs.get(source) ?? (await scoredDocs(run, store.judgements.comparedDocs(run, judgement)))
    docs.set(source, values)
    return { judgement, docs: values }
  }
}

function comparePair(
  a: Parameters<typeof pairMetrics>[0],
  b: Parameters<typeof pairMetrics>[1],
): ReadonlyMap<string, PairedComparison> {
  return new Map(
    pairMetrics(a, b).map(metric => {
      return [metricKey(metric.task, metric.metric), { ...comparePaired(metric), improved: [], worsened: [] }]
    }),
  )
}
