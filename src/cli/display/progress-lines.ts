import { oneLine } from '../../../base/text/visible-text.js'
import { formatQuantity, duration, formatCount, rate } from '../../../base/text/numbers.js'
import { hedgeText, throttledText } from '../../present/text/throughput/throughput-lines.js'
import { type Paint } from '../../present/text/layout/paint.js'
import { fittedLine, type Fact } from '../../present/text/layout/fitted-line.js'
import { clip } from '../../present/text/layout/width.js'
import {
  answeredRequests,
  docsExpected,
  failedRequests,
  failuresByClass,
  presentRate,
  requestsExpected,
  requestsInFlight,
  retries,
  timeLeft,
} from './progress-figures.js'
import type { ProgressState } from './progress-state.js'

/** The stages that run. Only their progress is shown. */
export interface ShownStages {
  readonly input: boolean
  readonly model: boolean
  readonly judge: boolean
}

/**
 * Draws one progress bar per stage.
 *
 * @param at.isWhole true to keep all facts even if the screen is too narrow
 */
export function progressBars(
  state: ProgressState,
  at: { readonly now: number; readonly stages: ShownStages; readonly isWhole?: boolean },
  paint: Paint,
): string[] {
  const { stages, now } = at
  const docs = docsExpected(state)
  const requests = requestsExpected(state)
  const failed = failedRequests(state)
  const answered = answeredRequests(state)
  const standstill = standstillText(state, now)
  const line = (name: string, bar: Bar, facts: readonly Fact[]): string =>
    fittedLine(
      `  ${paint.dim(name)}   ${drawBar(bar, paint)} ${figures(bar)}`,
      facts,
      at.isWhole === true ? Infinity : paint.columns,
    )
  return [
    ...(stages.input
      ? [line('input', { done: state.docsRead, of: docs }, [`new media ${formatCount(state.newMedia)}`])]
      : []),
    ...(stages.model ? [line('model', { done: answered, failed, of: requests }, modelFacts(state, now, paint))] : []),
    ...(stages.model && standstill !== undefined ? [`          ${paint.yellow(standstill)}`] : []),
    ...(stages.judge
      ? [line('judge', { done: state.scored, failed: state.unjudged, of: docs }, judgeFacts(state, paint))]
      : []),
    ...waitTexts(state, now).map(text => `          ${paint.yellow(text)}`),
    ...timeLine(state, at, paint),
  ]
}

/** Writes the progress in one line, for output without a terminal. */
export function progressLine(state: ProgressState, at: { now: number; stages: ShownStages }): string {
  const { stages, now } = at
  const of = (done: number, whole: number | undefined): string =>
    whole === undefined ? formatCount(done) : `${formatCount(done)}/${formatCount(whole)}`
  const perSecond = presentRate(state, now)
  const remainingMs = timeLeft(state, now)
  const standstill = standstillText(state, now)
  const oldest = oldestAge(state, now)
  return [
    ...(stages.input ? [`input ${of(state.docsRead, docsExpected(state))}`] : []),
    ...(stages.model ? [`model ${of(answeredRequests(state), requestsExpected(state))}`] : []),
    ...(stages.model && perSecond !== undefined ? [rate(perSecond)] : []),
    ...(stages.model ? paceFacts(state) : []),
    ...(stages.model ? [`failed ${formatCount(failedRequests(state))}${byClass(failuresByClass(state))}`] : []),
    ...(stages.model ? batchFacts(state, now) : []),
    ...(stages.model && state.fromStore > 0 ? [`from store ${formatCount(state.fromStore)}`] : []),
    ...(stages.model ? othersFacts(state) : []),
    ...(stages.judge ? [`judge ${of(state.scored, docsExpected(state))}`] : []),
    ...(stages.judge && state.unjudged > 0 ? [unjudgedText(state)] : []),
    ...(stages.model && remainingMs !== undefined ? [`${duration(remainingMs)} left`] : []),
    ...(stages.model && oldest !== undefined && oldest >= longMs ? [`oldest request ${duration(oldest)}`] : []),
    ...(stages.model && standstill !== undefined ? [standstill] : []),
    ...waitTexts(state, now),
  ].join(' · ')
}

interface Bar {
  readonly done: number
  readonly failed?: number
  readonly of: number | undefined
}

/** The width of a bar. On a narrow terminal it is shorter, because the numbers matter more. */
const countCells = ({ columns }: Paint): number => (columns < 50 ? 5 : columns < 72 ? 10 : 20)

function drawBar({ done, failed = 0, of }: Bar, paint: Paint): string {
  const cells = countCells(paint)
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

const figures = ({ done, of }: Bar): string =>
  of === undefined ? formatCount(done) : `${formatCount(done)}/${formatCount(of)}`

function modelFacts(state: ProgressState, now: number, paint: Paint): Fact[] {
  const perSecond = presentRate(state, now)
  const failed = failedRequests(state)
  const failures = `failed ${formatCount(failed)}${byClass(failuresByClass(state))}`
  const retried = retries(state)
  return [
    ...(perSecond === undefined ? [] : [rate(perSecond)]),
    ...paceFacts(state),
    failed > 0 ? { text: paint.red(failures), short: paint.red(`failed ${formatCount(failed)}`) } : failures,
    `from store ${formatCount(state.fromStore)}`,
    ...othersFacts(state),
    ...(retried === 0 ? [] : [`retries ${formatCount(retried)}${byClass(state.retried)}`]),
    ...batchFacts(state, now),
  ]
}

/**
 * Explains why nothing is sent: `nobody answers at the address for 12 s, next try in 3.0 s: http://127.0.0.1:8000: nobody listens there`. Short
 * pauses of a rate limit are not shown, to avoid flicker.
 */
function standstillText({ pace }: ProgressState, now: number): string | undefined {
  const standstill = pace?.standstill
  if (standstill === undefined) return undefined
  const { why, since, until } = standstill
  const remainingMs = Math.max(0, until - now)
  if (why === 'others') return othersText(standstill, now)
  if (why !== 'outage' && remainingMs < 50) return undefined
  const message = oneLine(standstill.message)
  const isOver = remainingMs < 50
  if (why === 'outage') {
    const next = isOver ? 'trying now' : `next try in ${duration(remainingMs)}`
    return `nobody answers for ${duration(now - since)}, all requests wait, ${next}: ${message}`
  }
  if (why === 'limit') return `the server asks to wait ${duration(remainingMs)} more: ${message}`
  return `only retries are left, the next in ${duration(remainingMs)}: ${message}`
}

/** Other processes write a heartbeat every 15 s. */
const usualSilenceMs = 20_000

/** `process 4711 works on the last 9 requests, waited for since 42 s; not heard of for 41 s (at 60 s they are taken over)` */
function othersText(
  { holders, since }: NonNullable<NonNullable<ProgressState['pace']>['standstill']>,
  now: number,
): string {
  const holderTexts = holders.map(({ pid, host, isHere, items, silentMs }) => {
    const who = `process ${pid}${isHere ? '' : ` on ${oneLine(host)}`} works on ${formatQuantity(items, 'request')}`
    return silentMs < usualSilenceMs
      ? who
      : `${who} and was not heard of for ${duration(silentMs)} (at 60 s they are taken over)`
  })
  return `waiting for ${duration(now - since)}: ${holderTexts.join('; ')}`
}

/** Waits that are shown at the same time. */
const shownWaits = 3

/** `waiting 12 s for https://example.org/a.png (at most 60 s)`, the longest first. */
export function waitTexts({ waits }: ProgressState, now: number): string[] {
  const longest = [...waits].sort(([, left], [, right]) => left.since - right.since)
  const texts = longest
    .slice(0, shownWaits)
    .map(
      ([what, { since, limitMs }]) =>
        `waiting ${duration(now - since)} for ${oneLine(what)}${limitMs === undefined ? '' : ` (at most ${duration(limitMs)})`}`,
    )
  return longest.length > shownWaits ? [...texts, `and ${longest.length - shownWaits} more`] : texts
}

const othersFacts = ({ others }: ProgressState): string[] =>
  others.answered === 0 ? [] : [`by others ${formatCount(others.answered)}`]

/** `38 of 64 in flight`, `throttled 0.4 % (8 of 2,000 sent)` */
function paceFacts(state: ProgressState): string[] {
  const { pace } = state
  // A committed answer frees its slot, but is counted only when it is durable.
  const inFlight = Math.min(requestsInFlight(state) ?? 0, pace?.concurrency ?? Infinity)
  return [
    ...(inFlight === 0
      ? []
      : [`${formatCount(inFlight)}${pace ? ` of ${formatCount(pace.concurrency)}` : ''} in flight`]),
    ...(state.throttled === 0 ? [] : [throttledText(state.throttled, Math.max(state.sent, state.throttled))]),
    ...(state.hedges.sent === 0 ? [] : [hedgeText(state.hedges)]),
  ]
}

/** `at the provider 20 (12 through) in 2 batches for 3 min` */
function batchFacts({ handedIn }: ProgressState, now: number): string[] {
  if (handedIn === undefined || handedIn.batches === 0) return []
  const { batches, requests, done, since } = handedIn
  const where = `in ${formatQuantity(batches, 'batch', 'batches')} for ${duration(now - since)}`
  return [`at the provider ${formatCount(requests)} (${formatCount(done)} through) ${where}`]
}

const judgeFacts = (state: ProgressState, paint: Paint): Fact[] => [
  `empty ${formatCount(state.empty)}`,
  `unparsed ${formatCount(state.unparsed)}`,
  ...(state.unjudged === 0
    ? []
    : [{ text: paint.red(unjudgedText(state)), short: paint.red(`not judged ${formatCount(state.unjudged)}`) }]),
]

const longestReason = 120

/** `not judged 30, the first: the judge model answered nothing` */
function unjudgedText({ unjudged, firstReason }: ProgressState): string {
  const first = firstReason === undefined ? '' : clip(firstReason.replace(/\s+/gu, ' ').trim(), longestReason)
  return `not judged ${formatCount(unjudged)}${first === '' ? '' : `, the first: ${first}`}`
}

/** Output without a terminal also reports a request that takes longer than this. */
const longMs = 10_000

/** Milliseconds for which the oldest request is in flight. */
function oldestAge(state: ProgressState, now: number): number | undefined {
  const since = state.pace?.oldestSince
  return since === undefined || state.isEnding === true || requestsInFlight(state) === 0 ? undefined : now - since
}

/** Formats `time 1 min 5 s 15 s left oldest request 3.2 s`. Finished stages show their duration in their own line. */
function timeLine(state: ProgressState, { now, stages }: { now: number; stages: ShownStages }, paint: Paint): string[] {
  if (state.startedAt === undefined) return []
  const remainingMs = timeLeft(state, now)
  const oldest = oldestAge(state, now)
  const facts = [
    ...(stages.model && remainingMs !== undefined ? [`${duration(remainingMs)} left`] : []),
    ...(stages.model && oldest !== undefined && oldest >= 1_000 ? [`oldest request ${duration(oldest)}`] : []),
  ]
  return [fittedLine(`  ${paint.dim('time ')}   ${duration(now - state.startedAt)}`, facts, paint.columns)]
}

/** ` (timeout 2, server 1)` */
function byClass(counts: ProgressState['failed']): string {
  const classes = Object.entries(counts).map(([name, count]) => `${name} ${formatCount(count)}`)
  return classes.length === 0 ? '' : ` (${classes.join(', ')})`
}
