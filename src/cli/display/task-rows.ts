import { fittedTable } from '../../present/text/layout/fitted-table.js'
import type { Column } from '../../present/text/layout/table.js'
import { formatQuantity, formatDecimal, formatCount, range, rate } from '../../../base/text/numbers.js'
import { indentedPaint, type Paint } from '../../present/text/layout/paint.js'
import { clip } from '../../present/text/layout/width.js'
import { runningInterval } from '../../reading/progress/running-mean.js'
import type { ShownStages } from './progress-lines.js'
import { recentRate } from './recent-answers.js'
import type { TaskProgress } from './task-progress.js'

interface ShownColumn extends Column {
  readonly cell: (task: TaskProgress, at: At) => string
  readonly isShown?: (stages: ShownStages) => boolean
}

interface At {
  readonly now: number
  readonly stages: ShownStages
  readonly paint: Paint
}

const columns: readonly ShownColumn[] = [
  { title: 'task', least: 12, cell: ({ task }) => task },
  {
    title: 'docs',
    align: 'right',
    cell: (task, { stages }) => {
      const done = stages.judge ? task.scored : task.read
      return task.total === undefined ? formatCount(done) : `${formatCount(done)}/${formatCount(task.total)}`
    },
  },
  {
    title: 'metric',
    least: 8,
    drop: 5,
    cell: ({ metric }) => metric ?? '–',
    isShown: ({ judge }) => judge,
  },
  {
    title: 'score',
    align: 'right',
    drop: 1,
    cell: ({ sums }) => formatDecimal(sums.n === 0 ? null : sums.sum / sums.n),
    isShown: ({ judge }) => judge,
  },
  {
    title: '95 % CI',
    drop: 4,
    cell: ({ sums }) => range(runningInterval(sums)),
    isShown: ({ judge }) => judge,
  },
  {
    title: 'answers/s',
    align: 'right',
    drop: 3,
    cell: (task, { now, stages }) => rateText(isDone(task, stages) ? wholeRate(task) : presentRate(task, now)),
    isShown: ({ model }) => model,
  },
  {
    title: 'failed',
    align: 'right',
    drop: 2,
    cell: ({ failed }, { paint }) => (failed > 0 ? paint.red(formatCount(failed)) : '0'),
    isShown: ({ model }) => model,
  },
]

const presentRate = ({ recent }: TaskProgress, now: number): number | undefined =>
  recent === undefined ? undefined : recentRate(recent, now)

/** Returns the rate over all answers of a finished task. The recent rate would fall to zero. */
function wholeRate({ answered }: TaskProgress): number | undefined {
  if (answered === undefined) return undefined
  const { since, until, answers } = answered
  return until > since ? (answers * 1000) / (until - since) : undefined
}

const rateText = (perSecond: number | undefined): string =>
  perSecond === undefined || perSecond === 0 ? '–' : rate(perSecond).replace('/s', '')

/**
 * Draws a table with one row for each task. If there are more tasks than rows, it shows the tasks that changed last, and summarises the others in one
 * line.
 *
 * @param at.rows the number of lines that the table may take
 */
export function taskRows(
  tasks: readonly TaskProgress[],
  at: { readonly now: number; readonly stages: ShownStages; readonly rows: number },
  paint: Paint,
): string[] {
  // A table needs a head, a row and the line for the others.
  if (tasks.length === 0 || at.rows < Math.min(3, tasks.length + 1)) return []
  const room = tasks.length + 1 <= at.rows ? tasks.length : at.rows - 2
  const shownTasks = latest(tasks, room)
  const heads = columns.filter(({ isShown }) => isShown?.(at.stages) ?? true)
  const within = indentedPaint(paint, 2)
  const cells = shownTasks.map(task => heads.map(({ cell }) => cell(task, { ...at, paint })))
  const lines = fittedTable(heads, cells, within)
  const rest = restLine(
    tasks.filter(task => !shownTasks.includes(task)),
    at.stages,
  )
  return [...lines, ...(rest === undefined ? [] : [clip(rest, within.columns)])].map(line => `  ${line}`)
}

/** Selects the tasks that changed last, then the tasks that start next, in the order of the run. */
function latest(tasks: readonly TaskProgress[], room: number): readonly TaskProgress[] {
  if (tasks.length <= room) return tasks
  const byChange = tasks.toSorted((a, b) => (b.changedAt ?? -Infinity) - (a.changedAt ?? -Infinity))
  const chosen = new Set(byChange.slice(0, room))
  return tasks.filter(task => chosen.has(task))
}

/** `… and 12 other tasks: 5 done, 7 not begun` */
function restLine(tasks: readonly TaskProgress[], stages: ShownStages): string | undefined {
  if (tasks.length === 0) return undefined
  const done = tasks.filter(task => isDone(task, stages)).length
  const unbegun = tasks.filter(({ changedAt, isRead }) => changedAt === undefined && !isRead).length
  const parts = [
    ...(done === 0 ? [] : [`${formatCount(done)} done`]),
    ...(unbegun === 0 ? [] : [`${formatCount(unbegun)} not begun`]),
  ]
  return `… and ${formatQuantity(tasks.length, 'other task')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`
}

const isDone = ({ total, read, scored, failed }: TaskProgress, { judge }: ShownStages): boolean =>
  total !== undefined && (judge ? scored + failed : read) >= total
