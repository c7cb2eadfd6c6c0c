import { failedDocs } from '../../../reading/samples/failed-docs.js'
import type { Results } from '../../json/results-json.js'
import { indentLines } from '../layout/table.js'
import type { Paint } from '../layout/paint.js'
import { resultTable, shownNames } from './result-table.js'
import type { Assessment } from '../../../reading/gates/assess-run.js'
import type { Aggregate } from '../../../../cache/records.js'
import { formatCount, formatQuantity } from '../../../../base/text/numbers.js'
import { metricLabel } from '../../../reading/metric-label.js'

/**
 * Formats the scores of a run, with its baseline if it has one, then its gates.
 *
 * @param unjudged the line of a run without scores
 */
export function resultLines(
  { run, judgement, failures, assessment }: Pick<Results, 'run' | 'judgement' | 'failures' | 'assessment'>,
  unjudged: string,
  paint: Paint,
): string[] {
  const aggregates = judgement?.aggregates
  const scores =
    aggregates === undefined
      ? [unjudged]
      : [
          ...indentLines(
            within => resultTable(aggregates, failedDocs(failures), within, shownNames(run), assessment?.baseline),
            paint,
          ),
          ...judgeLines(aggregates).map(line => `  ${line}`),
        ]
  return assessment === undefined
    ? scores
    : [...scores, '', ...indentLines(within => gateLines(assessment, within), paint)]
}

/** The baseline with its notes, and a line for each gate. */
function gateLines({ baseline, gates }: Assessment, paint: Paint): string[] {
  const about =
    baseline === undefined
      ? []
      : [
          `baseline: ${baseline.label}${baseline.rows.some(({ isPaired }) => isPaired) ? ', paired by task and doc' : ''}`,
          ...baseline.notes.map(paint.yellow),
        ]
  const lines = gates.map(({ gate, task, metric, passed, reason }) => {
    const subject = task === undefined || metric === undefined || !gate.startsWith('*') ? '' : `${task}.${metric}: `
    return `${passed ? paint.green('✓ passed') : paint.red('✗ failed')}  ${gate}   ${subject}${reason}`
  })
  return [...about, ...lines]
}

/** Lists the judge models of the metrics, and how far the judges of a panel agree. */
function judgeLines(aggregates: readonly Aggregate[]): string[] {
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
