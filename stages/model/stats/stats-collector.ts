import { roundToTenths } from '../../../base/values/rounding.js'
import { growingColumn, type GrowingColumn } from '../../../base/collections/growing-column.js'
import type { RunKey } from '../../../cache/digest.js'
import type { Failure, ResponseMeta, Run, Usage } from '../../../cache/records.js'
import { busyTime, type Pause, pauses, peakConcurrency, type TimedRequests, timeline } from './timeline.js'
import { distribution } from './distribution.js'
import { requestSpeed, tokenRate } from './request-speed.js'
import { type RunStats, type SpreadName, spreadNames, type TokenSums } from './run-stats.js'

/** Computes a run's figures from the metadata of its answers. */
interface StatsCollector {
  add(meta: ResponseMeta): void
  finish(failures: readonly Failure[]): RunStats
}

/** Times are stored in whole milliseconds, so shorter durations are unknown. */
const shortestMs = 1
const pauseMs = 1000
const mostPauses = 20

/** Computes the cost of one answer in dollars. Undefined if it is unknown. */
type CostOf = (usage: Usage, isBatch: boolean) => number | undefined

export function statsCollector(run: Pick<Run, 'id' | 'createdAt'>, costOf?: CostOf): StatsCollector {
  const columns = newColumns()
  const cost = { usd: 0, priced: 0 }
  const sums = newSums()
  const [tokens, batchTokens, hedgeTokens] = [newTokens(), newTokens(), newTokens()]
  return {
    add(meta) {
      if (!isAskedBy(run, meta)) {
        sums.fromStore += 1
        return
      }
      const isBatch = meta.batch === true
      addCounts(sums, meta)
      if (!isBatch) addTimes(columns, meta)
      addTokens(isBatch ? batchTokens : tokens, meta.usage)
      for (let hedge = 0; hedge < (meta.hedges ?? 0); hedge += 1) addTokens(hedgeTokens, meta.usage)
      const usd = meta.usage && costOf?.(meta.usage, isBatch)
      if (usd === undefined) return
      cost.usd += usd
      cost.priced += 1
    },
    finish: failures => ({
      answers: { asked: sums.asked, fromStore: sums.fromStore, batch: sums.batch },
      attempts: countAttempts(sums, failures),
      ...(sums.hedges === 0 ? {} : { hedges: { sent: sums.hedges, won: sums.won, tokens: hedgeTokens } }),
      tokens,
      batchTokens,
      ...(costOf === undefined ? {} : { cost }),
      bytes: { sent: sums.sent, received: sums.received },
      ...computeTimes(columns, tokens),
    }),
  }
}

const newSums = () => ({
  asked: 0,
  fromStore: 0,
  batch: 0,
  attempts: 0,
  throttled: 0,
  sent: 0,
  received: 0,
  hedges: 0,
  won: 0,
})
type Sums = ReturnType<typeof newSums>

function addCounts(sums: Sums, { attempts, timing = {}, batch, hedges = 0, isHedgeFirst = false }: ResponseMeta): void {
  sums.asked += 1
  if (batch === true) sums.batch += 1
  sums.attempts += attempts
  sums.hedges += hedges
  if (isHedgeFirst) sums.won += 1
  sums.throttled += timing.throttled ?? 0
  sums.sent += timing.sentBytes ?? 0
  sums.received += timing.receivedBytes ?? 0
}

function countAttempts(
  { asked, attempts, throttled, hedges }: Sums,
  failures: readonly Failure[],
): RunStats['attempts'] {
  const sent = attempts + failures.reduce((sum, failure) => sum + failure.attempts, 0)
  const refused = failures.reduce((sum, failure) => sum + countThrottled(failure), 0)
  const begun = asked + failures.filter(failure => failure.attempts > 0).length
  return { sent: sent + hedges, retries: sent - begun, throttled: throttled + refused }
}

/** Counts the rate limits of a failed request. Only its last failure is stored, so it represents all attempts. */
const countThrottled = ({ class: name, attempts }: Failure): number => (name === 'rate_limited' ? attempts : 0)

interface Columns extends Record<'ended' | 'tokens' | SpreadName, GrowingColumn> {
  /** The milliseconds of rounds in earlier attempts, for the few requests that have any. */
  readonly earlier: Map<number, number>
}

const newColumns = (): Columns => ({
  earlier: new Map(),
  ended: growingColumn(),
  tokens: growingColumn(),
  latency: growingColumn(),
  endToEnd: growingColumn(),
  firstToken: growingColumn(),
  perOutputToken: growingColumn(),
  queue: growingColumn(),
  connect: growingColumn(),
})

function addTimes(columns: Columns, { durationMs, answeredAt, timing = {}, usage }: ResponseMeta): void {
  const { queueMs, retryWaitMs = 0, earlierMs = 0, firstTokenMs, connectMs } = timing
  const speed = requestSpeed({ start: 0, firstToken: firstTokenMs, end: durationMs, tokens: usage?.outputTokens ?? 0 })
  const endToEnd = (queueMs ?? 0) + retryWaitMs + durationMs
  if (earlierMs !== 0) columns.earlier.set(columns.ended.length, earlierMs)
  columns.ended.push(answeredAt)
  columns.tokens.push(usage?.outputTokens ?? 0)
  columns.latency.push(durationMs)
  columns.endToEnd.push(endToEnd)
  if (queueMs !== undefined) columns.queue.push(queueMs)
  if (connectMs !== undefined) columns.connect.push(connectMs)
  if (speed.timeToFirstToken !== undefined) columns.firstToken.push(speed.timeToFirstToken)
  if (speed.timePerOutputToken !== undefined) columns.perOutputToken.push(speed.timePerOutputToken)
}

const newTokens = (): { -readonly [name in keyof TokenSums]: number } => ({
  input: 0,
  output: 0,
  reasoning: 0,
  cached: 0,
  counted: 0,
})

function addTokens(sums: ReturnType<typeof newTokens>, usage: Usage | undefined): void {
  if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return
  sums.input += usage.inputTokens ?? 0
  sums.output += usage.outputTokens ?? 0
  sums.reasoning += usage.reasoningTokens ?? 0
  sums.cached += usage.cachedTokens ?? 0
  sums.counted += 1
}

type Times = Pick<RunStats, 'from' | 'to' | 'busyMs' | 'rates' | 'concurrency' | 'spread' | 'timeline' | 'pauses'>

/** Returns the time when a request began. Rounds of an earlier attempt were sent then, and not right before the answer. */
const begunAt = ({ ended, endToEnd, earlier }: Columns, index: number): number =>
  ended.at(index) - Math.max(shortestMs, endToEnd.at(index) - (earlier.get(index) ?? 0))

/** Returns the time when a request was sent. Ends are stored in whole milliseconds, so a request that followed another must not seem to overlap it. */
const sentAt = ({ ended, latency, earlier }: Columns, index: number): number =>
  Math.ceil(ended.at(index) - Math.max(shortestMs, latency.at(index) - (earlier.get(index) ?? 0)))

/** Sorts the times of all requests in memory that is reused. A new array for a million requests takes eight megabytes. */
function sortedMoments(target: Float64Array, momentOf: (index: number) => number): Float64Array {
  for (let index = 0; index < target.length; index += 1) target[index] = momentOf(index)
  return target.sort()
}

function computeTimes(columns: Columns, tokens: TokenSums): Times {
  const { length } = columns.ended
  const timed = {
    length,
    sent: (index: number) => sentAt(columns, index),
    ended: columns.ended.at,
    tokens: columns.tokens.at,
  }
  const [room, otherRoom] = [new Float64Array(length), new Float64Array(length)]
  const ends = sortedMoments(room, timed.ended)
  const busy = busyTime(
    sortedMoments(otherRoom, index => begunAt(columns, index)),
    ends,
  )
  const busyMs = roundToTenths(busy.total)
  const perSecond = (count: number): number => tokenRate(count, busyMs / 1000)
  return {
    ...(length === 0 ? {} : { from: busy.from.at(0), to: busy.to.at(busy.to.length - 1) }),
    busyMs,
    rates: {
      requests: perSecond(length),
      inputTokens: perSecond(tokens.input),
      outputTokens: perSecond(tokens.output),
    },
    concurrency: {
      mean: tokenRate(timeUnderWay(timed), busyMs),
      peak: peakConcurrency(sortedMoments(otherRoom, timed.sent), ends),
    },
    spread: computeSpread(columns, otherRoom),
    timeline: timeline(timed, busy),
    pauses: longest(pauses(busy, pauseMs)).map(({ at, lasted }) => ({
      at: roundToTenths(at),
      lasted: roundToTenths(lasted),
    })),
  }
}

/** Sums the time in flight over all requests. */
function timeUnderWay({ length, sent, ended }: TimedRequests): number {
  let sum = 0
  for (let index = 0; index < length; index += 1) sum = sum + ended(index) - sent(index)
  return sum
}

function computeSpread(columns: Columns, room: Float64Array): RunStats['spread'] {
  const spreads = spreadNames.flatMap(name => {
    const spread = distribution(columns[name].copyTo(room))
    return spread === undefined ? [] : [[name, spread] as const]
  })
  return Object.fromEntries(spreads)
}

const longest = (pauses: readonly Pause[]): readonly Pause[] =>
  [...pauses]
    .sort((a, b) => b.lasted - a.lasted)
    .slice(0, mostPauses)
    .sort((a, b) => a.at - b.at)

/** Returns the part of a run's id that is stored with its answers. It is long enough to be unique. */
export const runMark = (id: RunKey): string => id.slice('sha256:'.length, 'sha256:'.length + 16)

/**
 * Tells whether this run sent the request, rather than finding the answer in the store. A run that was removed and made
 * again finds its former answers. Answers without a mark are older than this feature. They count as the run's own if
 * they are younger than the run.
 */
export const isAskedBy = (run: Pick<Run, 'id' | 'createdAt'>, { run: mark, answeredAt }: ResponseMeta): boolean =>
  answeredAt >= run.createdAt && (mark === undefined || mark === runMark(run.id))
