import { metricLabel } from '../../reading/metric-label.js'
import { oneLine } from '../../../base/text/visible-text.js'
import { duration, formatDecimal, formatCount, formatQuantity, range, rate } from '../../../base/text/numbers.js'
import { type Paint } from './layout/paint.js'
import { fittedLine } from './layout/fitted-line.js'
import { fittedTable } from './layout/fitted-table.js'
import type { Column } from './layout/table.js'
import { listedModel, tasksLabel } from './results/run-header.js'
import type { RunOverview } from '../../reading/progress/run-overview.js'
import type { WatchedRun } from '../../reading/progress/watched-runs.js'
import { describeWorker } from '../../reading/workers/awaited-worker.js'
import type { DeclinedJob, QueueFacts } from '../../reading/workers/work-facts.js'

const columns: readonly Column[] = [
  { title: 'run' },
  { title: 'model', least: 10, drop: 4 },
  { title: 'tasks', least: 10, drop: 5 },
  { title: '', drop: 9 },
  { title: 'answered', align: 'right' },
  { title: 'answers/s', align: 'right', drop: 3 },
  { title: 'failed', align: 'right', drop: 2 },
  { title: 'metric', least: 11, drop: 8 },
  { title: 'score', align: 'right', drop: 1 },
  { title: '95 % CI', drop: 6 },
  { title: 'elapsed', align: 'right', drop: 10 },
  { title: 'left', align: 'right', drop: 7 },
  { title: 'state' },
]

/** One row for each run, as wide as the screen at most. */
export function overviewTable(watched: readonly WatchedRun[], paint: Paint): string[] {
  const rows = watched.map(watchedRun => {
    const { run, overview, perSecond, elapsedMs, leftMs } = watchedRun
    return [
      run.name,
      listedModel(run),
      tasksLabel(run),
      bar(overview, paint),
      answeredText(overview),
      perSecond === undefined ? '–' : rate(perSecond).replace('/s', ''),
      overview.failed > 0 ? paint.red(formatCount(overview.failed)) : '0',
      ...scoreCells(watchedRun),
      elapsedMs === undefined ? '–' : duration(elapsedMs),
      leftMs === undefined ? '–' : duration(leftMs),
      stateText(overview, paint),
    ]
  })
  return [
    ...fittedTable(columns, rows, paint),
    ...watched.flatMap(watchedRun => workerLines(watchedRun, paint)),
    ...queueLines(watched[0]?.queue, paint),
  ]
}

/** Lists the processes that share a run. A single process is only listed if it is silent. */
function workerLines({ run, workers }: WatchedRun, paint: Paint): readonly string[] {
  if (workers.length < 2 && !workers.some(({ isStale }) => isStale)) return []
  return workers.map(({ host, pid, items, perSecond, silentMs, isAlive, isStale }) => {
    const facts = [
      `process ${pid} on ${oneLine(host)}`,
      `${formatCount(items)} ${items === 1 ? 'request' : 'requests'} leased`,
      ...(perSecond > 0 ? [rate(perSecond)] : []),
      ...(isStale
        ? [isAlive || silentMs >= aliveMs ? `silent for ${duration(silentMs)}` : 'ended without a message']
        : []),
    ]
    const line = fittedLine(run.name, facts, paint.columns)
    return isStale ? paint.yellow(line) : line
  })
}

/** A process that is silent for less and does not live was seen to have ended. */
const aliveMs = 60_000

/** The jobs that wait, and the workers that they wait for. */
function queueLines(queue: QueueFacts | undefined, paint: Paint): readonly string[] {
  if (queue?.oldestMs === undefined) return []
  const facts = [
    `${formatQuantity(queue.jobs, 'job')} in the queue`,
    `the oldest since ${duration(queue.oldestMs)}`,
    ...formatAwaited(queue),
  ]
  return [fittedLine('', facts, paint.columns).trimStart(), ...queue.declined.flatMap(job => declinedLines(job, paint))]
}

/** A reason may be a list of problems, which get a line each. */
const declinedLines = ({ id, why }: DeclinedJob, paint: Paint): readonly string[] => [
  paint.yellow(`job ${id} waits for another worker. Those that looked at it cannot do it:`),
  ...why.flatMap(reason => reason.split('\n')).map(line => `  ${oneLine(line)}`),
]

const formatAwaited = ({ byStage }: QueueFacts): readonly string[] =>
  (['model', 'judge'] as const).flatMap(stage => {
    const jobs = byStage[stage]
    return jobs === undefined ? [] : [`${formatCount(jobs)} waiting for ${describeWorker(stage)}`]
  })

/** The same for one run in one line, for output without a terminal. */
export function overviewLine(watched: WatchedRun, paint: Paint): string {
  const { run, overview, perSecond, leftMs } = watched
  const [metric, score, interval] = scoreCells(watched)
  return [
    run.name,
    stateText(overview, paint),
    `answered ${answeredText(overview)}`,
    ...(perSecond === undefined ? [] : [rate(perSecond)]),
    `failed ${formatCount(overview.failed)}`,
    ...(metric === '' ? [] : [`${metric} ${score}${interval === '–' ? '' : ` (${interval})`}`]),
    ...(leftMs === undefined ? [] : [`${duration(leftMs)} left`]),
  ].join(' · ')
}

/** While docs are read, the number of requests still grows. */
const answeredText = ({ answered, requests, isInputFinished }: RunOverview): string =>
  `${formatCount(answered)}/${formatCount(requests)}${isInputFinished ? '' : '+'}`

/** The word for a run's state. A run with open requests that nobody works on was interrupted. */
export function stateWord({ state, requests, answered, failed, isInputFinished }: RunOverview): string {
  if (state !== 'incomplete') return state
  return !isInputFinished || answered + failed < requests ? 'interrupted' : 'incomplete'
}

function stateText(overview: RunOverview, paint: Paint): string {
  const word = stateWord(overview)
  if (word === 'complete') return paint.green(word)
  return word === 'interrupted' || word === 'incomplete' ? paint.yellow(word) : word
}

const cells = 12

function bar({ requests, answered, failed }: RunOverview, paint: Paint): string {
  const full = requests === 0 ? 0 : Math.floor((cells * answered) / requests)
  const lost = requests === 0 ? 0 : Math.min(cells - full, Math.ceil((cells * failed) / requests))
  return [
    full > 0 ? paint.green('█'.repeat(full)) : '',
    lost > 0 ? paint.red('▒'.repeat(lost)) : '',
    full + lost < cells ? paint.dim('░'.repeat(cells - full - lost)) : '',
  ].join('')
}

/**
 * Formats the metric, value and interval of the newest judgement, or the value so far with the number of scored docs. With several tasks, it shows
 * one of them and the number of the others. That is the first group or task, or the last task while docs are scored.
 */
function scoreCells({ overview, running }: WatchedRun): readonly [string, string, string] {
  const label = (task: string, metric: string, scores: number): string =>
    scores === 1 ? metric : `${oneLine(task)} ${metric} +${formatCount(scores - 1)}`
  const current = running.at(-1)
  if (current !== undefined) {
    const { task, metric, value, interval, n } = current
    return [label(task, metric, running.length), `${formatDecimal(value)} of ${formatCount(n)}`, range(interval)]
  }
  const { scores } = overview
  const score = scores.find(({ of }) => of !== undefined) ?? scores[0]
  if (score === undefined) return ['', '–', '–']
  return [label(score.task, metricLabel(score), scores.length), formatDecimal(score.value), range(score.interval)]
}
