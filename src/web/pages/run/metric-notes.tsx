import { metricLabel } from '../../../reading/metric-label.js'
import { describeStopping } from '../../../reading/stopping-text.js'
import type { RunView } from '../../../present/page/data/index.js'
import { formatQuantity, formatDecimal, formatCount } from '../../../../base/text/numbers.js'
import { formatLine, visibleText } from '../../parts/safe-text.js'
import { type Metric } from './metric-rows.js'

/** Shows the notes that a reader must know before trusting the scores. */
export function MetricNotes({ view: { metrics } }: { readonly view: RunView }) {
  const notes = metrics.filter(({ group }) => group === undefined).flatMap(listNotes)
  if (notes.length === 0) return null
  return (
    <ul class="notes">
      {[...new Set(notes)].map(note => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  )
}

function listNotes(metric: Metric): string[] {
  const { task, note, error, endings = {}, reasoned, emptyCut } = metric
  const label = formatLine(metricLabel(metric))
  const name = formatLine(task)
  return [
    ...boundsNote(metric, name, label),
    ...(metric.stopping === undefined
      ? []
      : [`${name}: ${label} ${visibleText(describeStopping({ ...metric, stopping: metric.stopping }))}.`]),
    ...(error === undefined ? [] : [`${name}: ${label} has no value: ${visibleText(error)}`]),
    ...(note === undefined ? [] : [`${name}: ${label} is ${visibleText(note)}`]),
    ...(emptyCut === undefined
      ? []
      : [
          `${name}: ${formatQuantity(emptyCut, 'empty answer')} ${emptyCut === 1 ? 'was' : 'were'} cut off at the token limit.`,
        ]),
    ...(reasoned === undefined ? [] : [`${name}: ${formatQuantity(reasoned, 'answer')} with reasoning.`]),
    ...Object.entries(endings).map(
      ([reason, docs]) =>
        `${name}: ${formatQuantity(docs, 'answer')} ended by an unknown reason, ${formatLine(JSON.stringify(reason))}.`,
    ),
  ]
}

function boundsNote({ n, total, bounds }: Metric, name: string, label: string): string[] {
  if (n >= total) return []
  if (n === 0) return [`${name}: no doc has a score of ${label} yet (0 of ${formatCount(total)}).`]
  const missing = `${formatCount(total - n)} of ${formatQuantity(total, 'doc')} ${total - n === 1 ? 'is' : 'are'} missing`
  if (bounds === undefined) return [`${name}: the full ${label} cannot be bounded; ${missing}.`]
  return [
    `${name}: the full ${label} lies between ${formatDecimal(bounds[0])} and ${formatDecimal(bounds[1])}; ${missing}.`,
  ]
}
