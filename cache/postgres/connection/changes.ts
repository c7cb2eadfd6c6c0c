import { randomBytes } from 'node:crypto'
import type { Query } from './query.js'

/** The channel on which handles tell each other that they committed. */
export const channel = 'pipeline'

/** The interval of polls in milliseconds. Notifications get lost when a connection breaks. */
export const slowPollMs = 2_000
/** A handle tells at most once in this time, because each notification goes to all handles. */
const noticeMs = 500
/**
 * The minimum time between notifications of all handles together, in milliseconds, because the server's work grows with the square of their number.
 * Any notification makes all other handles look.
 */
const sharedNoticeMs = 50
/** Handles without a notification for this long do not count any more, in milliseconds. */
const forgottenMs = 120_000

interface Timing {
  /** Returns monotonic milliseconds. */
  now(): number
  /** Calls `action` once. @returns a function that cancels the call */
  after(ms: number, action: () => void): () => void
}

const realTiming: Timing = {
  now: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms).unref()
    return () => {
      clearTimeout(timer)
    }
  },
}

/** Tells other handles on the store of commits, and knows whether they have committed, without a statement for each question. */
export class Changes {
  /** The sum of this handle's additions to counters and failures, which distinguishes its own commits from those of others. */
  own = 0
  readonly #notice: string
  readonly #schema: string
  readonly #timing: Timing
  /** The other handles, with the time of their last notice. */
  readonly #others = new Map<string, number>()
  #isStale = true
  #version = 0
  #readAt = 0
  #toldAt = -Infinity
  #cancelLater: (() => void) | undefined
  #tellLater: () => void = () => undefined

  constructor(schema: string, timing: Timing = realTiming) {
    this.#schema = schema
    this.#notice = `${schema} ${randomBytes(6).toString('hex')}`
    this.#timing = timing
  }

  /** Sets the function that schedules a notification of collected changes. It calls `announce`. */
  onDue(tellLater: () => void): void {
    this.#tellLater = tellLater
  }

  /** Tells other handles that something changes. They hear it when the transaction is committed. */
  async announce(query: Query): Promise<void> {
    const wait = this.#toldAt + Math.max(noticeMs, sharedNoticeMs * this.#countOthers()) - this.#timing.now()
    if (wait > 0) {
      this.#cancelLater ??= this.#timing.after(wait, () => {
        this.#cancelLater = undefined
        this.#tellLater()
      })
      return
    }
    this.#toldAt = this.#timing.now()
    await query('SELECT pg_notify($1, $2)', [channel, this.#notice])
  }

  /** Takes a notification of the server. Undefined: some may have been lost. */
  hear(notice: string | undefined): void {
    if (notice === this.#notice) return
    if (notice === undefined || notice.startsWith(`${this.#schema} `)) this.#isStale = true
    if (notice !== undefined) this.#others.set(notice, this.#timing.now())
  }

  /** Counts the handles of all schemas of the database, since each notice goes to all of them. */
  #countOthers(): number {
    const since = this.#timing.now() - forgottenMs
    for (const [notice, at] of this.#others) if (at < since) this.#others.delete(notice)
    return this.#others.size
  }

  /**
   * Returns a number that changes when another handle has committed.
   *
   * @param isHearing false if this handle gets no notifications. It then reads each time.
   * @param read reads the sum of what all handles added
   */
  async readVersion(isHearing: boolean, read: () => Promise<number>): Promise<number> {
    const now = this.#timing.now()
    if (isHearing && !this.#isStale && now - this.#readAt < slowPollMs) return this.#version
    // Set before the read, so that a notification meanwhile is not forgotten.
    this.#isStale = false
    try {
      this.#version = (await read()) - this.own
      this.#readAt = now
    } catch (error) {
      this.#isStale = true
      throw error
    }
    return this.#version
  }

  /** Drops pending notifications. Other handles find the changes by polling. */
  close(): void {
    this.#cancelLater?.()
  }
}
