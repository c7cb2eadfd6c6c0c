import { counted, duration, grouped, percent, rate } from '../report/numbers.js'
import { hedgeText } from '../report/throughput-lines.js'
import type { Paint } from '../report/paint.js'
import {
  docsExpected,
  failedRequests,
  presentRate,
  requestsExpected,
  requestsInFlight,
  retries,
  timeLeft,
  type ProgressState,
} from './progress-state.js'

/** Which stages work, so that only their progress is shown. */
export interface ShownStages {
  readonly input: boolean
  readonly model: boolean
  readonly judge: boolean
}

/** Three bars, a line each. */
export function progressBars(state: ProgressState, at: { now: number; stages: ShownStages }, paint: Paint): string[] {
  const { stages, now } = at
  const docs = docsExpected(state)
  const requests = requestsExpected(state)
  const failed = failedRequests(state)
  const answered = state.answered + state.fromStore
  const line = (name: string, bar: Bar, facts: readonly string[]): string =>
    `  ${paint.dim(name)}   ${drawn(bar, paint)} ${figures(bar)}   ${facts.join('   ')}`.trimEnd()
  return [
    ...(stages.input
      ? [line('input', { done: state.docsRead, of: docs }, [`new media ${grouped(state.newMedia)}`])]
      : []),
    ...(stages.model ? [line('model', { done: answered, failed, of: requests }, modelFacts(state, now, paint))] : []),
    ...(stages.judge
      ? [line('judge', { done: state.scored, failed: state.unjudged, of: docs }, judgeFacts(state, paint))]
      : []),
  ]
}

/** The same in one line, for where there is no screen. */
export function progressLine(state: ProgressState, at: { now: number; stages: ShownStages }): string {
  const { stages, now } = at
  const of = (done: number, whole: number | undefined): string =>
    whole === undefined ? grouped(done) : `${grouped(done)}/${grouped(whole)}`
  const perSecond = presentRate(state, now)
  const left = timeLeft(state, now)
  return [
    ...(stages.input ? [`input ${of(state.docsRead, docsExpected(state))}`] : []),
    ...(stages.model ? [`model ${of(state.answered + state.fromStore, requestsExpected(state))}`] : []),
    ...(stages.model && perSecond !== undefined ? [rate(perSecond)] : []),
    ...(stages.model ? paceFacts(state, now) : []),
    ...(stages.model ? [`failed ${grouped(failedRequests(state))}${byClass(state.failed)}`] : []),
    ...(stages.model ? batchFacts(state, now) : []),
    ...(stages.model && state.fromStore > 0 ? [`from store ${grouped(state.fromStore)}`] : []),
    ...(stages.judge ? [`judge ${of(state.scored, docsExpected(state))}`] : []),
    ...(stages.model && left !== undefined ? [`${duration(left)} left`] : []),
  ].join(' · ')
}

interface Bar {
  readonly done: number
  readonly failed?: number
  readonly of: number | undefined
}

const cells = 20

function drawn({ done, failed = 0, of }: Bar, paint: Paint): string {
  if (of === undefined || of === 0) return paint.dim('░'.repeat(cells))
  const full = Math.min(cells, Math.floor((cells * done) / of))
  const lost = Math.min(cells - full, Math.ceil((cells * failed) / of))
  const parts = [
    [paint.green, '█', full],
    [paint.red, '▒', lost],
    [paint.dim, '░', cells - full - lost],
  ] as const
  return parts.map(([colour, mark, count]) => (count === 0 ? '' : colour(mark.repeat(count)))).join('')
}

const figures = ({ done, of }: Bar): string => (of === undefined ? grouped(done) : `${grouped(done)}/${grouped(of)}`)

function modelFacts(state: ProgressState, now: number, paint: Paint): string[] {
  const perSecond = presentRate(state, now)
  const left = timeLeft(state, now)
  const failed = failedRequests(state)
  const failures = `failed ${grouped(failed)}${byClass(state.failed)}`
  const retried = retries(state)
  return [
    ...(perSecond === undefined ? [] : [rate(perSecond)]),
    ...paceFacts(state, now),
    failed > 0 ? paint.red(failures) : failures,
    `from store ${grouped(state.fromStore)}`,
    ...(retried === 0 ? [] : [`retries ${grouped(retried)}${byClass(state.retried)}`]),
    ...batchFacts(state, now),
    ...(left === undefined ? [] : [`${duration(left)} left`]),
  ]
}

/** `38 of 64 under way`, `waits 2.0 s`, `throttled 0.4 %` */
function paceFacts(state: ProgressState, now: number): string[] {
  const { pace } = state
  // An answer that is committed gives its slot free, and is counted once it is on the disk.
  const underWay = Math.min(requestsInFlight(state) ?? 0, pace?.concurrency ?? Infinity)
  const waits = (pace?.waitsUntil ?? now) - now
  return [
    ...(underWay === 0 ? [] : [`${grouped(underWay)}${pace ? ` of ${grouped(pace.concurrency)}` : ''} under way`]),
    ...(waits < 50 ? [] : [`waits ${duration(waits)}`]),
    ...(state.throttled === 0 ? [] : [`throttled ${percent(state.throttled, Math.max(state.sent, state.throttled))}`]),
    ...(state.hedges.sent === 0 ? [] : [hedgeText(state.hedges)]),
  ]
}

/** `at the provider 20 (12 through) in 2 batches for 3 min` */
function batchFacts({ handedIn }: ProgressState, now: number): string[] {
  if (handedIn === undefined || handedIn.batches === 0) return []
  const { batches, requests, done, since } = handedIn
  const where = `in ${counted(batches, 'batch', 'batches')} for ${duration(now - since)}`
  return [`at the provider ${grouped(requests)} (${grouped(done)} through) ${where}`]
}

const judgeFacts = (state: ProgressState, paint: Paint): string[] => [
  `empty ${grouped(state.empty)}`,
  `unparsed ${grouped(state.unparsed)}`,
  ...(state.unjudged === 0 ? [] : [paint.red(`not judged ${grouped(state.unjudged)}`)]),
]

/** ` (timeout 2, server 1)` */
function byClass(counts: ProgressState['failed']): string {
  const classes = Object.entries(counts).map(([name, count]) => `${name} ${grouped(count)}`)
  return classes.length === 0 ? '' : ` (${classes.join(', ')})`
}
