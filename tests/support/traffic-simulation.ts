import { AdaptiveLimiter } from '../../stages/model/schedule/limits/adaptive-limiter.js'
import type { LimiterOptions } from '../../stages/model/schedule/limits/limiter-client.js'
import { LimitShare } from '../../stages/model/schedule/limits/limit-share.js'
import { shareLimit, type SharedLimit } from '../../stages/model/schedule/limits/shared-limit.js'
import type { SendResult } from '../../stages/model/schedule/limits/sends.js'
import type { Reply, SimulatedServer } from '../../bench/server-models.js'

export interface SimulatedAttempt {
  readonly at: number
  readonly end: number
  readonly reply: Reply['type']
}

export interface Simulation {
  readonly attempts: readonly SimulatedAttempt[]
  /** Concurrency limit over time, one value per tenth of a second. */
  readonly limits: readonly number[]
  readonly rates: readonly (number | undefined)[]
  /** Answers per second between two times in milliseconds. */
  rate(from: number, to: number): number
  throttledShare(from: number, to: number): number
}

/** Sends requests continuously through `Traffic` to a server, for a number of virtual milliseconds. */
export function simulate(
  server: SimulatedServer,
  given: Pick<LimiterOptions, 'concurrency' | 'from'> & {
    readonly ms: number
    readonly random: () => number
    /** Maximum delay of a timer. */
    readonly lateMs?: number
    /** Latency to the server, and back. */
    readonly wayMs?: number
    /** Maximum time by which one request may overtake another on its way to the server. */
    readonly jitterMs?: number
    /** Maximum time for which the process is busy with something else, four times per second on average. */
    readonly stallMs?: number
    /** Maximum time until an answer is durable and its slot is free. */
    readonly commitMs?: number
    /** The number of processes that send to the server. @default 1 */
    readonly processes?: number
    /** True if they share its limit, by reports about every second. */
    readonly isShared?: boolean
    /** The time between the starts of two processes. @default 0 */
    readonly startMs?: number
  },
): Simulation {
  const events = new Agenda()
  let limit: SharedLimit | undefined
  const attempts: SimulatedAttempt[] = []
  const limits: number[] = []
  const rates: (number | undefined)[] = []
  const wayMs = given.wayMs ?? 0.3
  const afterStalls = stalls(given.stallMs ?? 0, given.random)
  const whenFree = (action: () => void): void => {
    const at = afterStalls(events.now)
    if (at > events.now) events.add(at, action)
    else action()
  }
  const startProcess = (name: string, from: number): AdaptiveLimiter => {
    const share = given.isShared === true ? new LimitShare() : undefined
    const traffic = new AdaptiveLimiter({ ...given, clock: { now: () => events.now }, ...(share && { share }) })
    let wakeAt = Infinity
    const report = (): void => {
      if (share === undefined) return
      const told = shareLimit(limit, { member: name, ...share.takeReport(events.now) }, events.now)
      limit = told.limit
      share.grant(events.now, told.grant)
      send()
      events.add(events.now + 900 + 200 * given.random(), report)
    }
    const send = (): void => {
      for (;;) {
        const wait = traffic.waitMs
        if (wait === Infinity) return
        if (wait > 0) {
          if (events.now + wait >= wakeAt && wakeAt > events.now) return
          const at = events.now + Math.ceil(wait) + given.random() * (given.lateMs ?? 1)
          wakeAt = at
          events.add(at, () =>
            whenFree(() => {
              if (wakeAt === at) wakeAt = Infinity
              send()
            }),
          )
          return
        }
        const passage = traffic.enter()
        const at = events.now
        events.add(at + wayMs + given.random() * (given.jitterMs ?? 0), () =>
          server({
            now: events.now,
            later: (ms, action) => events.add(events.now + ms, () => action(events.now)),
            reply: (ms, reply) =>
              events.add(events.now + ms + wayMs, () =>
                whenFree(() => {
                  attempts.push({ at, end: events.now, reply: reply.type })
                  traffic.end(passage, resultOf(reply))
                  const isDurable = reply.type !== 'answered' || given.commitMs === undefined
                  events.add(events.now + (isDurable ? 0 : given.random() * (given.commitMs ?? 0)), () => {
                    traffic.leave()
                    send()
                  })
                }),
              ),
          }),
        )
      }
    }
    events.add(from, report)
    events.add(from, send)
    return traffic
  }
  const all = Array.from({ length: given.processes ?? 1 }, (_, index) =>
    startProcess(`process ${index}`, index * (given.startMs ?? 0)),
  )
  const sample = (): void => {
    limits.push(all.reduce((sum, traffic) => sum + traffic.limit, 0))
    rates.push(limit === undefined ? all[0]?.rate : limit.rate)
    events.add(events.now + 100, sample)
  }
  events.add(0, sample)
  events.runUntil(given.ms)
  const count = (from: number, to: number, wanted?: Reply['type']): number =>
    attempts.filter(({ end, reply }) => end >= from && end < to && (wanted === undefined || reply === wanted)).length
  return {
    attempts,
    limits,
    rates,
    rate: (from, to) => (1_000 * count(from, to, 'answered')) / (to - from),
    throttledShare: (from, to) => count(from, to, 'rate_limited') / Math.max(1, count(from, to)),
  }
}

const resultOf = (reply: Reply): SendResult =>
  reply.type === 'rate_limited' ? reply : { type: reply.type === 'failed' ? 'server' : 'answered' }

/** Returns when a process that is busy from time to time continues. */
function stalls(longest: number, random: () => number): (now: number) => number {
  let stall = { from: 0, to: 0 }
  return now => {
    while (longest > 0 && now >= stall.to) {
      const from = stall.to - 250 * Math.log(1 - random())
      stall = { from, to: from + longest * random() }
    }
    return now >= stall.from ? Math.max(now, stall.to) : now
  }
}

/** A queue of events: a heap by time, then by the order of insertion. */
class Agenda {
  #heap: { at: number; order: number; action: () => void }[] = []
  #order = 0
  now = 0

  add(at: number, action: () => void): void {
    const heap = this.#heap
    heap.push({ at, order: this.#order++, action })
    for (let child = heap.length - 1; child > 0;) {
      const parent = (child - 1) >> 1
      if (!this.#isBefore(child, parent)) break
      this.#swap(child, parent)
      child = parent
    }
  }

  runUntil(end: number): void {
    for (let next = this.#pop(); next !== undefined && next.at <= end; next = this.#pop()) {
      this.now = Math.max(this.now, next.at)
      next.action()
    }
  }

  #pop() {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    heap[0] = last
    for (let parent = 0; ;) {
      let least = parent
      for (const child of [2 * parent + 1, 2 * parent + 2])
        if (child < heap.length && this.#isBefore(child, least)) least = child
      if (least === parent) return first
      this.#swap(parent, least)
      parent = least
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a]!, this.#heap[b]!]
    return x.at < y.at || (x.at === y.at && x.order < y.order)
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap
    ;[heap[a], heap[b]] = [heap[b]!, heap[a]!]
  }
}
