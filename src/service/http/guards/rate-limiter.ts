import { RecentMap } from '../../../../base/collections/recent-map.js'

/** Clients that are remembered; the longest silent are forgotten first. */
const mostClients = 10_000

/** A token bucket for each client. */
export class RateLimiter {
  readonly #rate: { readonly perSecond: number; readonly burst: number }
  readonly #now: () => number
  readonly #buckets = new RecentMap<string, { left: number; at: number }>(mostClients)

  /** @param now monotonic milliseconds */
  constructor(rate: { readonly perSecond: number; readonly burst: number }, now: () => number) {
    this.#rate = rate
    this.#now = now
  }

  /** Takes one request of a client. @returns 0, or the seconds to wait where it may not be made now */
  take(client: string): number {
    const wait = this.peek(client)
    if (wait > 0) return wait
    this.#bucketOf(client).left -= 1
    return 0
  }

  /** @returns the seconds until a client may make a request; 0 is now */
  peek(client: string): number {
    const { left } = this.#bucketOf(client)
    return left >= 1 ? 0 : (1 - left) / this.#rate.perSecond
  }

  #bucketOf(client: string): { left: number; at: number } {
    const { perSecond, burst } = this.#rate
    const now = this.#now()
    const bucket = this.#buckets.get(client) ?? { left: burst, at: now }
    bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond)
    bucket.at = now
    this.#buckets.set(client, bucket)
    return bucket
  }
}
