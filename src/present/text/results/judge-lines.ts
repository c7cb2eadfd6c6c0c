import type { Aggregate } from '../../../../cache/records.js'
import { formatCount, formatQuantity } from '../../../../base/text/numbers.js'
import { metricLabel } from '../../../reading/metric-label.js'

/** Lists the judge models of the metrics, and how far the judges of a panel agree. */
export function judgeLines(aggregates: readonly Aggregate[]): string[] {
  const judged = aggregates.filter(({ judges, group }) => judges !== undefined && group === undefined)
  const metricsByJudges = new Map<string, string[]>()
  for (const aggregate of judged) {
    const names = aggregate.judges?.join(', ') ?? ''
    metricsByJudges.set(names, [...(metricsByJudges.get(names) ?? []), formatMetric(aggregate)])
  }
  return [
    ...[...metricsByJudges].map(([names, metrics]) => `judged by ${names}: ${metrics.join(', ')}`),
    ...judged.flatMap(aggregate => panelLine(aggregate)),
  ]
}

const formatMetric = (aggregate: Aggregate): string => `${aggregate.task} ${metricLabel(aggregate)}`

function panelLine(aggregate: Aggregate): readonly string[] {
  const { panel } = aggregate
  if (panel === undefined) return []
  const alpha = panel.alpha === null ? 'undefined' : panel.alpha.toFixed(2)
  return [
    `${formatMetric(aggregate)}: the judges differ on ${formatCount(panel.disputed)} of ${formatQuantity(panel.docs, 'doc')}, Krippendorff's alpha ${alpha}`,
  ]
}
