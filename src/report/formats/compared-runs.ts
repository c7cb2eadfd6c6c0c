import { comparePaired } from '../../../stages/judge/statistics/compare-paired.js'
import type { Aggregate } from '../../../cache/records.js'
import { metricKey, pairMetrics, scoredDocs, type ScoredDocs } from '../comparing/pair-samples.js'
import { metricLabel } from '../results/result-table.js'
import type { ScoredRun } from './reported-run.js'

/** One metric of a task or group in several runs. */
export interface ComparedRow {
  /** One of the aggregates, for its names. */
  readonly first: Aggregate
  /** The results in the order of the runs. A run without the metric has none. */
  readonly results: readonly (Aggregate | undefined)[]
  /** The index of the run that is better than every other one. Absent if a difference may be chance. */
  readonly best?: number
}

/**
 * Puts the results of runs side by side, without breakdowns. A run is the best only if the paired comparison calls it better than each other run that
 * has the metric. Groups of tasks have no docs of their own, so that none is the best.
 */
export async function comparedRows(runs: readonly ScoredRun[]): Promise<readonly ComparedRow[]> {
  const isBetter = await betterRuns(runs)
  const whole = runs.map(({ judgement }) => judgement.aggregates.filter(({ group }) => group === undefined))
  const rows = new Map<string, Aggregate>()
  for (const aggregate of whole.flat()) if (!rows.has(rowKey(aggregate))) rows.set(rowKey(aggregate), aggregate)
  const tasksFirst = [...rows].sort(([, a], [, b]) => Number(a.of !== undefined) - Number(b.of !== undefined))
  return tasksFirst.map(([key, first]): ComparedRow => {
    const results = whole.map(own => own.find(aggregate => rowKey(aggregate) === key))
    const leader = highest(results, first.higherIsBetter)
    const others = results.flatMap((result, index) => (hasValue(result) && index !== leader ? [index] : []))
    const isBest =
      leader !== undefined &&
      first.of === undefined &&
      others.length > 0 &&
      others.every(other => isBetter(leader, other, first))
    return { first, results, ...(isBest && { best: leader }) }
  })
}

const rowKey = (aggregate: Aggregate): string =>
  `${aggregate.of === undefined ? 'task' : 'group'} ${metricKey(aggregate.task, metricLabel(aggregate))}`

const hasValue = (result: Aggregate | undefined): boolean => result !== undefined && result.value !== null

function highest(results: readonly (Aggregate | undefined)[], higherIsBetter: boolean): number | undefined {
  const values = results.flatMap((result, index) => (hasValue(result) ? [{ index, value: result?.value ?? 0 }] : []))
  return values.sort((a, b) => (higherIsBetter ? b.value - a.value : a.value - b.value))[0]?.index
}

type IsBetter = (run: number, than: number, metric: Aggregate) => boolean

async function betterRuns(runs: readonly ScoredRun[]): Promise<IsBetter> {
  const docs: ScoredDocs[] = []
  if (runs.length > 1)
    for (const { store, run, judgement } of runs)
      docs.push(await scoredDocs(run, store.judgements.samples(run, judgement)))
  // Pairs of all docs are large. Only the metrics on which the second run is better are kept.
  const known = new Map<string, ReadonlySet<string>>()
  return (second, first, metric) => {
    const id = `${second} ${first}`
    const better = known.get(id) ?? betterMetrics(sideOf(first), sideOf(second))
    known.set(id, better)
    return better.has(metricKey(metric.task, metricLabel(metric)))
  }
  function sideOf(index: number) {
    const [side, values] = [runs[index], docs[index]]
    if (side === undefined || values === undefined) throw new Error('internal error: a compared run has no docs')
    return { judgement: side.judgement, docs: values }
  }
}

function betterMetrics(
  a: Parameters<typeof pairMetrics>[0],
  b: Parameters<typeof pairMetrics>[1],
): ReadonlySet<string> {
  const better = pairMetrics(a, b).filter(metric => comparePaired(metric).verdict === 'better')
  return new Set(better.map(({ task, metric }) => metricKey(task, metric)))
}
