/** The timeouts of an attempt, in milliseconds. */
export interface AttemptTimeouts {
  /** The maximum duration of the whole attempt. */
  readonly timeoutMs: number
  /** The maximum time without a byte, while a request is sent or a response arrives. */
  readonly stallMs: number
}

/** A streaming server may be silent this many times longer before the first piece, because it may be busy. */
const firstPieceShare = 5

/** The timers of one attempt. The first that expires is reported, and ends the others. */
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

  /** Starts the stall timer. @param what what is expected, as the failure names it */
  expect(what: string, when: 'soon' | 'in time' = 'soon'): void {
    clearTimeout(this.#stall)
    const ms = this.#patience.stallMs * (when === 'soon' ? 1 : firstPieceShare)
    this.#stall = setTimeout(() => this.#strike(`no byte of the ${what} moved for ${ms / 1000} s`), ms)
  }

  /** Stops the stall timer, so that only the deadline counts. */
  relax(): void {
    clearTimeout(this.#stall)
    this.#stall = undefined
  }

  /** Restarts the stall timer, because bytes have arrived or were sent. */
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
