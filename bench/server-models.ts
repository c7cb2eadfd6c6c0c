/**
 * Servers with limits, as state machines: behind a socket they are what is measured against, and by a clock that is moved
 * they show what a client makes of them without waiting. Milliseconds.
 */

export type Reply =
  { readonly type: 'answered' | 'failed' } | { readonly type: 'refused'; readonly retryAfter?: number }

export interface Network {
  readonly now: number
  later(ms: number, action: (now: number) => void): void
  reply(afterMs: number, reply: Reply): void
}

/** Receives one request; requests come in the order of time. */
export type SimulatedServer = (network: Network) => void

export type RetryAfter = 'seconds' | 'exact' | 'none'

interface Common {
  readonly latency: () => number
  readonly retryAfter: RetryAfter
  /** Until a refusal is back. */
  readonly refusalMs?: number
}

function refuse(network: Network, { retryAfter, refusalMs = 2 }: Common, waitMs: number): void {
  const seconds = 1_000 * Math.max(1, Math.ceil(waitMs / 1_000))
  const asked = { none: {}, exact: { retryAfter: waitMs }, seconds: { retryAfter: seconds } }[retryAfter]
  network.reply(refusalMs, { type: 'refused', ...asked })
}

type Rate = (now: number) => number

/** So many in each window; the windows follow each other from `phase` on. */
export function fixedWindow(
  given: Common & { readonly limit: Rate; readonly windowMs: number; readonly phase?: number },
): SimulatedServer {
  let window = Number.NaN
  let count = 0
  return network => {
    const at = network.now + (given.phase ?? 0)
    const current = Math.floor(at / given.windowMs)
    if (current !== window) count = 0
    window = current
    if (count >= given.limit(network.now)) return refuse(network, given, (current + 1) * given.windowMs - at)
    count += 1
    network.reply(given.latency(), { type: 'answered' })
  }
}

/** So many in any time as long as a window. */
export function slidingWindow(given: Common & { readonly limit: number; readonly windowMs: number }): SimulatedServer {
  let times: number[] = []
  return network => {
    times = times.filter(time => time > network.now - given.windowMs)
    if (times.length >= given.limit)
      return refuse(network, given, (times[0] ?? network.now) + given.windowMs - network.now)
    times.push(network.now)
    network.reply(given.latency(), { type: 'answered' })
  }
}

/** So many a second, and so many at once after a rest. */
export function tokenBucket(given: Common & { readonly rate: Rate; readonly burst: number }): SimulatedServer {
  let tokens = given.burst
  let at = 0
  return network => {
    const { now } = network
    tokens = Math.min(given.burst, tokens + ((now - at) * given.rate(now)) / 1_000)
    at = now
    if (tokens < 1) return refuse(network, given, (1_000 * (1 - tokens)) / given.rate(now))
    tokens -= 1
    network.reply(given.latency(), { type: 'answered' })
  }
}

/** So many at once; the others are refused, or fail. */
export function busySlots(
  given: Common & { readonly slots: Rate; readonly refusesAs?: 'refused' | 'failed' },
): SimulatedServer {
  let busy = 0
  return network => {
    if (busy >= given.slots(network.now)) {
      if (given.refusesAs === 'failed') return network.reply(given.refusalMs ?? 2, { type: 'failed' })
      return refuse(network, given, 1_000)
    }
    busy += 1
    network.later(given.latency(), () => {
      busy -= 1
      network.reply(0.5, { type: 'answered' })
    })
  }
}

/** As many as come. */
export const unlimited =
  (latency: () => number): SimulatedServer =>
  network =>
    network.reply(latency(), { type: 'answered' })

/** So many at once; the others wait in line. */
export function waitingLine(given: { readonly latency: () => number; readonly slots: Rate }): SimulatedServer {
  let busy = 0
  const line: Network[] = []
  const next = (now: number): void => {
    while (busy < given.slots(now)) {
      const network = line.shift()
      if (network === undefined) return
      busy += 1
      network.later(given.latency(), then => {
        busy -= 1
        network.reply(0, { type: 'answered' })
        next(then)
      })
    }
  }
  return network => {
    line.push(network)
    next(network.now)
  }
}
