import { setTimeout as sleep } from 'node:timers/promises'
import type { LockListener } from '../../store/opening.js'
import { describeS3Error, explainS3Error, isTransient } from './s3-error.js'

/** The longest pause before the second attempt and before later ones, in milliseconds. */
const pauses = { first: 100, longest: 10_000 }
/** A call that fails for this long is reported, in milliseconds. Shorter failures are common. */
const toldAfterMs = 5_000
const reminderMs = 60_000
/** A call ends after this time, so that nothing hangs for ever. */
const defaultLimitMs = 3_600_000

/** Repeats calls that failed for a reason that passes. All calls of a process share one message. */
export class Patience {
  readonly shown: string
  #listener: LockListener
  #waiting = 0
  #toldAt: number | undefined

  /** @param shown the media location, for messages */
  constructor(shown: string, listener: LockListener) {
    this.shown = shown
    this.#listener = listener
  }

  /** Replaces the listener that the constructor got. */
  listen(listener: LockListener): void {
    this.#listener = listener
  }

  /** Calls `work` until it succeeds. @throws PipelineError (store) if it cannot succeed, or failed for too long */
  async persist<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    let [isWaiting, hasSucceeded] = [false, false]
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          const result = await work()
          hasSucceeded = true
          return result
        } catch (error) {
          if (!isTransient(error) || this.#isOver(performance.now() - began)) throw explainS3Error(this.shown, error)
          if (!isWaiting) this.#waiting += 1
          isWaiting = true
          this.#tell(error, began)
          await this.#pause(attempt)
        }
      }
    } finally {
      if (isWaiting) this.#endWait(hasSucceeded)
    }
  }

  #isOver(waitedMs: number): boolean {
    return this.#listener.stop?.aborted === true || waitedMs > (this.#listener.limitMs ?? defaultLimitMs)
  }

  async #pause(attempt: number): Promise<void> {
    const longest = Math.min(pauses.first * 2 ** Math.min(attempt, 20), pauses.longest)
    const { stop } = this.#listener
    // Many calls that wait must not come back at the same instant.
    const pause = sleep(longest * (0.5 + Math.random() / 2), undefined, stop === undefined ? {} : { signal: stop })
    await pause.catch(() => undefined)
  }

  #tell(error: unknown, began: number): void {
    const now = performance.now()
    if (now - began < toldAfterMs || (this.#toldAt !== undefined && now - this.#toldAt < reminderMs)) return
    this.#listener.tell?.(
      this.#toldAt === undefined
        ? `the media at ${this.shown} can't be reached (${describeS3Error(error)}). This process waits and continues by itself.`
        : `still waiting for the media at ${this.shown}, for ${Math.round((now - began) / 60_000)} min`,
    )
    this.#toldAt = now
  }

  #endWait(isReachable: boolean): void {
    this.#waiting -= 1
    if (this.#waiting > 0 || this.#toldAt === undefined || !isReachable) return
    this.#toldAt = undefined
    this.#listener.tell?.(`the media at ${this.shown} can be reached again`)
  }
}
