import { formatCount, formatDecimal, formatDifference, percent, shortTime } from '../../../base/text/numbers.js'
import { oneLine } from '../../../base/text/visible-text.js'
import type { FailingDoc, JudgedState, MovedMetric } from '../../reading/watching/judged-state.js'
import type { Paint } from './layout/paint.js'
import { table, type Column } from './layout/table.js'
import { clip } from './layout/width.js'
import { unjudgedLines } from './results/unjudged-lines.js'

const columns: readonly Column[] = [
  { title: 'task', least: 10 },
  { title: 'metric', least: 10 },
  { title: 'score', align: 'right' },
  { title: 'Δ', align: 'right' },
  { title: 'docs' },
  { title: 'n', align: 'right', drop: 1 },
  { title: 'coverage', align: 'right' },
]

/** One state of a watched run as text. */
export interface WatchedState {
  /** The change that led to this state, such as a file. */
  readonly cause: string
  readonly label: string | undefined
  readonly state: JudgedState
  readonly moved: readonly MovedMetric[]
  readonly elapsedMs: number
  /** The number of requests that were sent. */
  readonly asked: number
  readonly pending: number
}

/**
 * Formats the table of a state with the change since the previous state, and the failing docs below.
 *
 * @param readKey returns the key that opens the failing doc at an index. @default no doc has a key
 */
export function watchLines(
  { cause, label, state, moved, elapsedMs, asked, pending }: WatchedState,
  paint: Paint,
  readKey: (index: number) => string | undefined = () => undefined,
): string[] {
  const facts = [
    ...(label === undefined ? [] : [label]),
    `${formatCount(asked)} asked`,
    ...(pending === 0 ? [] : [paint.yellow(`${formatCount(pending)} not asked`)]),
    shortTime(elapsedMs),
  ]
  const rest = state.failingCount - state.failing.length
  return [
    `${paint.bold(oneLine(cause))}   ${facts.join(' · ')}`,
    ...table(
      columns,
      moved.map(metric => formatMetric(metric, paint)),
      paint,
    ),
    ...(state.unjudged.length === 0 ? [] : ['', ...unjudgedLines(state.unjudged, state.run, paint)]),
    ...(state.failingCount === 0 ? [] : ['', `failing: ${formatCount(state.failingCount)}`]),
    ...state.failing.map((doc, index) => formatDoc(doc, readKey(index), paint)),
    ...(rest > 0
      ? [paint.dim(`  … and ${formatCount(rest)} more:  pipeline report ${state.run} --samples wrong`)]
      : []),
    '',
  ]
}

function formatMetric(
  { task, metric, value, before, difference, n, total, better, worse, lost, higherIsBetter }: MovedMetric,
  paint: Paint,
): string[] {
  const moved = better + worse === 0 ? [] : [`${formatCount(better)}↑ ${formatCount(worse)}↓`]
  const lostDocs = lost === 0 ? [] : [paint.red(`${formatCount(lost)} lost`)]
  return [
    task,
    metric,
    formatDecimal(value),
    difference === null ? (before === undefined ? 'new' : '–') : paintChange(difference, higherIsBetter, paint),
    [...moved, ...lostDocs].join(' ') || '–',
    formatCount(n),
    n < total ? paint.yellow(percent(n, total)) : percent(n, total),
  ]
}

function paintChange(difference: number, higherIsBetter: boolean, paint: Paint): string {
  const text = difference === 0 ? '=' : formatDifference(difference)
  if (difference === 0) return text
  return difference > 0 === higherIsBetter ? paint.green(text) : paint.red(text)
}

function formatDoc({ task, id, outcome, answer, target }: FailingDoc, key: string | undefined, paint: Paint): string {
  const answerText = answer === undefined ? '(no answer)' : JSON.stringify(clip(oneLine(answer), 60))
  const aim = target === null ? '' : `   target ${clip(oneLine(JSON.stringify(target)), 40)}`
  return `  ${key === undefined ? '' : `${paint.bold(key)}  `}${oneLine(`${task}/${id}`)}   ${outcome === 'scored' ? '' : `${paint.yellow(outcome)}   `}${answerText}${aim}`
}
