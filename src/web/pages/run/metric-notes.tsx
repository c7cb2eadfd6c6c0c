import type { RunView } from '../../../views/page-data/index.js'
import { counted, fixed, grouped } from '../../../report/layout/numbers.js'
import { lineOf, visibleText } from '../../parts/safe-text.js'
import { metricLabel, type Metric } from './metric-rows.js'

/** What a reader must know before trusting the scores. */
export function MetricNotes({ view: { metrics } }: { readonly view: RunView }) {
  const notes = metrics.filter(({ group }) => group === undefined).flatMap(notesOf)
  if (notes.length === 0) return null
  return (
    <ul class="notes">
      {[...new Set(notes)].map(note => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  )
}

function notesOf(metric: Metric): string[] {
  const { task, note, error, endings = {}, reasoned, emptyCut } = metric
  const label = lineOf(metricLabel(metric))
  const name = lineOf(task)
  return [
    ...boundsNote(metric, name, label),
    ...(error === undefined ? [] : [`${name}: ${label} has no value: ${visibleText(error)}`]),
    ...(note === undefined ? [] : [`${name}: ${label} is ${visibleText(note)}`]),
    ...(emptyCut === undefined
      ? []
      : [
          `${name}: ${counted(emptyCut, 'empty answer')} ${emptyCut === 1 ? 'was' : 'were'} cut off at the token limit.`,
        ]),
    ...(reasoned === undefined ? [] : [`${name}: ${counted(reasoned, 'answer')} with reasoning.`]),
    ...Object.entries(endings).map(
      ([reason, docs]) =>
        `${name}: ${counted(docs, 'answer')} ended by an unknown reason, ${lineOf(JSON.stringify(reason))}.`,
    ),
  ]
}

function boundsNote({ n, total, bounds }: Metric, name: string, label: string): string[] {
  if (n >= total) return []
  if (n === 0) return [`${name}: no doc has a score of ${label} yet (0 of ${grouped(total)}).`]
  const missing = `${grouped(total - n)} of ${counted(total, 'doc')} ${total - n === 1 ? 'is' : 'are'} missing`
  if (bounds === undefined) return [`${name}: the full ${label} cannot be bounded; ${missing}.`]
  return [`${name}: the full ${label} lies between ${fixed(bounds[0])} and ${fixed(bounds[1])}; ${missing}.`]
}
