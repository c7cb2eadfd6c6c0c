/** The shortest time over which a rate is computed, in milliseconds. */
const shortestMs = 2_000

/** Counts the answers that a process stores, and their rate between two heartbeats. */
export class AnswerRate {
  readonly #now: () => number
  #answers = 0
  #told = 0
  #toldAt: number
  #perSecond: number | undefined

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now
    this.#toldAt = now()
  }

  add(answers: number): void {
    this.#answers += answers
  }

  /** True if there are answers since the last heartbeat, and it is not too recent. */
  get isDue(): boolean {
    return this.#answers > this.#told && this.#now() - this.#toldAt >= shortestMs
  }

  /** Returns what a heartbeat writes: all answers so far, and the last rate, in answers a second. */
  beat(): { readonly answers: number; readonly perSecond: number } {
    const now = this.#now()
    const elapsedMs = now - this.#toldAt
    if (this.#perSecond === undefined || elapsedMs >= shortestMs) {
      this.#perSecond = ((this.#answers - this.#told) * 1000) / Math.max(elapsedMs, 1)
      this.#told = this.#answers
      this.#toldAt = now
    }
    return { answers: this.#answers, perSecond: this.#perSecond }
  }
}
