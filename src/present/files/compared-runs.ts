import { metricLabel } from '../../reading/metric-label.js'
import { comparePaired, type PairedComparison } from '../../../stages/judge/statistics/paired/compare-paired.js'
import { settleVerdicts } from '../../../stages/judge/statistics/paired/settle-verdicts.js'
import type { Aggregate } from '../../../cache/records.js'
import { metricKey, pairMetrics, scoredDocs, type ScoredDocs } from '../../reading/comparing/pair-samples.js'
import type { ScoredRun } from './reported-run.js'

/** One metric of a task or group in several runs. */
export interface ComparedRow {
  /** One of the aggregates, for its names. */
  readonly first: Aggregate
  /** The results in the order of the runs. A run without the metric has none. */
  readonly results: readonly (Aggregate | undefined)[]
  /** The index of the run that is better than every other one. Absent if a difference may be chance. */
  readonly best?: number
  /** The indexes of the run with the best score and of those that are not shown to be worse. Empty if one is the best or nothing is compared. */
  readonly ties: readonly number[]
}

/**
 * Puts the results of runs side by side, without breakdowns. A run is the best only if the paired comparison calls it better than each other run that
 * has the metric; the verdicts allow for all comparisons of the table. Groups of tasks have no docs of their own, so that none is the best.
 */
export async function comparedRows(runs: readonly ScoredRun[]): Promise<readonly ComparedRow[]> {
  const whole = runs.map(({ judgement }) => judgement.aggregates.filter(({ group }) => group === undefined))
  const rows = new Map<string, Aggregate>()
  for (const aggregate of whole.flat()) if (!rows.has(rowKey(aggregate))) rows.set(rowKey(aggregate), aggregate)
  const tasksFirst = [...rows].sort(([, a], [, b]) => Number(a.of !== undefined) - Number(b.of !== undefined))
  const compared = tasksFirst.map(([key, first]) => {
    const results = whole.map(own => own.find(aggregate => rowKey(aggregate) === key))
    const leader = first.of === undefined ? highest(results, first.higherIsBetter) : undefined
    const others = results.flatMap((result, index) =>
      leader !== undefined && hasValue(result) && index !== leader ? [index] : [],
    )
    return { first, results, leader, others }
  })
  const losers = await listLosers(runs, compared)
  return compared.map(({ first, results, leader, others }, row): ComparedRow => {
    if (leader === undefined || others.length === 0) return { first, results, ties: [] }
    const tied = others.filter(other => !losers.has(`${row} ${other}`))
    return tied.length === 0
      ? { first, results, best: leader, ties: [] }
      : { first, results, ties: [leader, ...tied].sort((a, b) => a - b) }
  })
}

const rowKey = (aggregate: Aggregate): string =>
  `${aggregate.of === undefined ? 'task' : 'group'} ${metricKey(aggregate.task, metricLabel(aggregate))}`

const hasValue = (result: Aggregate | undefined): boolean => result !== undefined && result.value !== null

function highest(results: readonly (Aggregate | undefined)[], higherIsBetter: boolean): number | undefined {
  const values = results.flatMap((result, index) => (hasValue(result) ? [{ index, value: result?.value ?? 0 }] : []))
  return values.sort((a, b) => (higherIsBetter ? b.value - a.value : a.value - b.value))[0]?.index
}

interface LedRow {
  readonly first: Aggregate
  readonly leader: number | undefined
  readonly others: readonly number[]
}

/** Lists the row and the run, as `row run`, of each run that is worse than the leader of the row. */
async function listLosers(runs: readonly ScoredRun[], rows: readonly LedRow[]): Promise<ReadonlySet<string>> {
  const docs: ScoredDocs[] = []
  if (runs.length > 1)
    for (const { store, run, judgement } of runs)
      docs.push(await scoredDocs(run, store.judgements.samples(run, judgement)))
  // Pairs of all docs are large. Only the comparisons are kept.
  const known = new Map<string, ReadonlyMap<string, PairedComparison>>()
  const compare = (leader: number, other: number): ReadonlyMap<string, PairedComparison> => {
    const id = `${leader} ${other}`
    const found = known.get(id) ?? comparePair(makeSide(other), makeSide(leader))
    known.set(id, found)
    return found
  }
  const comparisons = rows.flatMap(({ first, leader, others }, row) =>
    others.flatMap(other => {
      const key = metricKey(first.task, metricLabel(first))
      const comparison = leader === undefined ? undefined : compare(leader, other).get(key)
      return comparison === undefined ? [] : [{ ...comparison, cell: `${row} ${other}` }]
    }),
  )
  return new Set(settleVerdicts(comparisons).flatMap(({ verdict, cell }) => (verdict === 'better' ? [cell] : [])))

  function makeSide(index: number) {
    const [side, values] = [runs[index], docs[index]]
    if (side === undefined || values === undefined) throw new Error('internal error: a compared run has no docs')
    return { judgement: side.judgement, docs: values }
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
