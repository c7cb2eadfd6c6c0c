/** Milliseconds. */
export interface AttemptTimeouts {
  /** For the whole attempt. */
  readonly timeoutMs: number
  /** Without a byte of an answer or a request that is under way. */
  readonly stallMs: number
}

/** A server that answers in pieces may be silent this many times longer before the first one: it may be busy. */
const firstPieceShare = 5

/** The timers of one attempt. What strikes is told once, and then nothing more. */
export class Watchdog {
  readonly #patience: AttemptTimeouts
  readonly #onStrike: (why: string) => void
  readonly #deadline: NodeJS.Timeout
  #stall: NodeJS.Timeout | undefined

  constructor(patience: AttemptTimeouts, onStrike: (why: string) => void) {
    this.#patience = patience
    this.#onStrike = onStrike
    this.#deadline = setTimeout(
      () => this.#strike(`no answer within ${patience.timeoutMs / 1000} s`),
      patience.timeoutMs,
    )
  }

  /** From now on bytes must move. @param what they are, as the failure names it */
  expect(what: string, when: 'soon' | 'in time' = 'soon'): void {
    clearTimeout(this.#stall)
    const ms = this.#patience.stallMs * (when === 'soon' ? 1 : firstPieceShare)
    this.#stall = setTimeout(() => this.#strike(`no byte of the ${what} moved for ${ms / 1000} s`), ms)
  }

  /** Nothing is expected before the deadline. */
  relax(): void {
    clearTimeout(this.#stall)
    this.#stall = undefined
  }

  /** Bytes moved. */
  progress(): void {
    this.#stall?.refresh()
  }

  end(): void {
    clearTimeout(this.#deadline)
    clearTimeout(this.#stall)
  }

  #strike(why: string): void {
    this.end()
    this.#onStrike(why)
  }
}
