import { metricLabel } from '../../../reading/metric-label.js'
import type { JudgementChanges, MetricMove } from '../../../config/settings.js'
import { formatQuantity, dateTime, duration, formatDecimal, formatCount } from '../../../../base/text/numbers.js'
import type { Paint } from '../layout/paint.js'
import { indentLines, table } from '../layout/table.js'

/** Describes what a new judgement changed and why, and how to see the docs. */
export function rescoringLines(
  changes: JudgementChanges,
  about: { readonly run: string; readonly storeFlag: string; readonly elapsedMs: number; readonly asked: number },
  paint: Paint,
): string[] {
  const { before, reasons, rescored } = changes
  if (rescored === 0 && changes.moved.length === 0) {
    return [`nothing changed since ${dateTime(before.createdAt)}: 0 rescored, ${formatAsked(about.asked)}`]
  }
  const why = reasons.length === 0 ? '' : ` (${few(reasons)})`
  return [
    `scorer changed since ${dateTime(before.createdAt)}${why}: ${formatQuantity(rescored, 'doc')} rescored in ${duration(about.elapsedMs)}, ${formatAsked(about.asked)}`,
    ...indentLines(within => moves(changes.moved, within), paint),
    `  see them:  pipeline compare ${about.run}@${before.number} ${about.run}${about.storeFlag}`,
  ]
}

/** Counts the model's requests. A note counts those of each judge model. */
const formatAsked = (asked: number): string => `${formatCount(asked)} asked of the model`

/** The first three reasons; an upgrade changes dozens of files. */
function few(reasons: readonly string[]): string {
  const more = reasons.length - 3
  return [...reasons.slice(0, 3), ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join(', ')
}

function moves(moved: readonly MetricMove[], paint: Paint): string[] {
  if (moved.length === 0) return ['no score moved']
  const columns = [
    { title: 'task', least: 12 },
    { title: 'metric', least: 10 },
    { title: 'before → after' },
    { title: 'docs', drop: 1 },
  ]
  const rows = moved.map(move => [
    move.task,
    metricLabel(move),
    `${formatDecimal(move.before)} → ${formatDecimal(move.after)}`,
    [
      `${formatCount(move.up)}↑ ${formatCount(move.down)}↓`,
      ...(move.lost > 0 ? [`${formatCount(move.lost)} lost`] : []),
      ...(move.gained > 0 ? [`${formatCount(move.gained)} new`] : []),
    ].join(' '),
  ])
  return [...table(columns, rows, paint), ...moved.flatMap(lossLine)]
}

/** `g: 6 docs lost their score of model_graded, and none has one now` */
function lossLine(move: MetricMove): string[] {
  if (move.lost === 0) return []
  const owner = move.lost === 1 ? 'its' : 'their'
  const none = move.before === null && move.gained === 0 ? ', and none has one now' : ''
  return [`${move.task}: ${formatQuantity(move.lost, 'doc')} lost ${owner} score of ${metricLabel(move)}${none}`]
}
