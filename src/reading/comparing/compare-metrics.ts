import { comparePaired } from '../../../stages/judge/statistics/paired/compare-paired.js'
import { settleVerdicts, type FamilyComparison } from '../../../stages/judge/statistics/paired/settle-verdicts.js'
import type { PairedMetric } from './pair-samples.js'

/** Compares run B with run A on one metric of one task, over the docs with a value in both. */
export type ComparedMetric = FamilyComparison & {
  readonly task: string
  /** `metric` or `metric,filter`. */
  readonly metric: string
  /** Docs with a value in only one of the runs. */
  readonly onlyOne: number
  /** True if the interval is clustered, because several docs share a picture or an answer. */
  readonly isClustered: boolean
  /** If undecided: how many docs more than now would decide with 80 % power. */
  readonly moreDocs?: number
}

/**
 * Compares paired docs, metric by metric. The verdicts allow for the number of metrics (Holm).
 *
 * @param margin a difference that does not matter, in units of the scores
 */
export function compareMetrics(paired: readonly PairedMetric[], margin?: number): readonly ComparedMetric[] {
  const compared = paired.map(({ task, metric, higherIsBetter, pairs, onlyOne }) => {
    const clusters = new Set(pairs.map(({ cluster }) => cluster))
    const isClustered = !clusters.has(undefined) && clusters.size < pairs.length
    return { task, metric, onlyOne, isClustered, ...comparePaired({ pairs, higherIsBetter, margin }) }
  })
  return settleVerdicts(compared).map(metric => {
    const { docsToDecide: needed, n } = metric
    return needed === undefined ? metric : { ...metric, moreDocs: Math.max(1, needed - n) }
  })
}
