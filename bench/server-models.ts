/**
 * Servers with limits, as state machines. Behind a socket they serve measurements. With a virtual clock they show the behaviour of a client without
 * waiting. Times are in milliseconds.
 */

export type Reply =
  { readonly type: 'answered' | 'failed' } | { readonly type: 'rate_limited'; readonly retryAfter?: number }

/** The simulated network between the scheduler and a server. Times are milliseconds. */
export interface Network {
  readonly now: number
  later(ms: number, action: (now: number) => void): void
  reply(afterMs: number, reply: Reply): void
}

/** Receives one request. Requests arrive in the order of time. */
export type SimulatedServer = (network: Network) => void

/** The form in which a server states the wait after a rate limit. */
export type RetryAfter = 'seconds' | 'exact' | 'none'

interface Common {
  readonly latency: () => number
  readonly retryAfter: RetryAfter
  /** Time until a rejection arrives. */
  readonly rejectionMs?: number
}

function reject(network: Network, { retryAfter, rejectionMs = 2 }: Common, waitMs: number): void {
  const seconds = 1_000 * Math.max(1, Math.ceil(waitMs / 1_000))
  const asked = { none: {}, exact: { retryAfter: waitMs }, seconds: { retryAfter: seconds } }[retryAfter]
  network.reply(rejectionMs, { type: 'rate_limited', ...asked })
}

type Rate = (now: number) => number

/** Accepts a number of requests in each fixed window. Windows follow each other, starting at `phase`. */
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
    if (count >= given.limit(network.now)) return reject(network, given, (current + 1) * given.windowMs - at)
    count += 1
    network.reply(given.latency(), { type: 'answered' })
  }
}

/** Accepts a number of requests in any interval of the window's length. */
export function slidingWindow(given: Common & { readonly limit: number; readonly windowMs: number }): SimulatedServer {
  let times: number[] = []
  return network => {
    times = times.filter(time => time > network.now - given.windowMs)
    if (times.length >= given.limit)
      return reject(network, given, (times[0] ?? network.now) + given.windowMs - network.now)
    times.push(network.now)
    network.reply(given.latency(), { type: 'answered' })
  }
}

/** Accepts a number of requests per second, and a burst after a pause. */
export function tokenBucket(given: Common & { readonly rate: Rate; readonly burst: number }): SimulatedServer {
  let tokens = given.burst
  let at = 0
  return network => {
    const { now } = network
    tokens = Math.min(given.burst, tokens + ((now - at) * given.rate(now)) / 1_000)
    at = now
    if (tokens < 1) return reject(network, given, (1_000 * (1 - tokens)) / given.rate(now))
    tokens -= 1
    network.reply(given.latency(), { type: 'answered' })
  }
}

/** Accepts a number of concurrent requests, and rejects or fails the others. */
export function busySlots(
  given: Common & { readonly slots: Rate; readonly rejectsAs?: 'rate_limited' | 'failed' },
): SimulatedServer {
  let busy = 0
  return network => {
    if (busy >= given.slots(network.now)) {
      if (given.rejectsAs === 'failed') return network.reply(given.rejectionMs ?? 2, { type: 'failed' })
      return reject(network, given, 1_000)
    }
    busy += 1
    network.later(given.latency(), () => {
      busy -= 1
      network.reply(0.5, { type: 'answered' })
    })
  }
}

/** Accepts all requests. */
export const unlimited =
  (latency: () => number): SimulatedServer =>
  network =>
    network.reply(latency(), { type: 'answered' })

/** Processes a number of requests at a time, and queues the others. */
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
