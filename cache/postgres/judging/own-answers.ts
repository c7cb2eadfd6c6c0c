/** The number of requests that are remembered. Older ones are found among those that any process answered. */
const most = 10_000

/** The requests of one search, and where the next one begins. */
export interface OwnPage {
  readonly requests: readonly number[]
  readonly next: number
  readonly isLast: boolean
}

/** Remembers which requests this process has answered, so that its judge scores these before those of other processes. */
export class OwnAnswers {
  #requests: number[] = []
  /** The number of requests that were added, those included that are forgotten. */
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Adds requests whose answers are committed. */
  add(requests: readonly number[]): void {
    this.#count += requests.length
    this.#requests.push(...requests)
    // Most calls move nothing.
    if (this.#requests.length >= 2 * most) this.#requests = this.#requests.slice(-most)
  }

  /** Lists at most `limit` requests after the first `from` ones. */
  list(from: number, limit: number): OwnPage {
    const forgotten = this.#count - this.#requests.length
    const start = Math.max(0, from - forgotten)
    const requests = this.#requests.slice(start, start + limit)
    const next = forgotten + start + requests.length
    return { requests, next, isLast: next === this.#count }
  }
}
