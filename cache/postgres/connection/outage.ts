import { setTimeout as sleep } from 'node:timers/promises'
import type { LockListener } from '../../store/opening.js'
import { describeOutage, isBusy, isOutage } from './server-error.js'

/** The pause before the first and the later attempts to reach the server again, in milliseconds. */
const pauses = { first: 100, longest: 2_000 }
/** The time between two messages of a process that waits. */
const reminderMs = 60_000
/** A server that is starting, or has no free connection, is waited for at least this long. */
const busyMs = 60_000
/** A wait ends after this time, so that nothing hangs for ever. */
const defaultLimitMs = 3_600_000

/** Waits while the server cannot be reached. All work of a process shares one wait and one message. */
export class Outage {
  readonly #shown: string
  readonly #tryAgain: () => Promise<void>
  readonly #listener: LockListener
  readonly #onAway: (isAway: boolean) => void
  #waiting: Promise<void> | undefined

  /**
   * @param tryAgain resolves if the server can be reached
   * @param listener its time limit does not apply to a server that is starting or has no free connection
   * @param onAway called when a first attempt to reach the server again has failed, and when the wait ends
   */
  constructor(
    shown: string,
    tryAgain: () => Promise<void>,
    listener: LockListener = {},
    onAway: (isAway: boolean) => void = () => undefined,
  ) {
    this.#shown = shown
    this.#tryAgain = tryAgain
    this.#listener = listener
    this.#onAway = onAway
  }

  /** Resolves when the server can be reached again. @throws the error if the wait is over or aborted */
  wait(error: unknown): Promise<void> {
    this.#waiting ??= this.#wait(error).finally(() => {
      this.#waiting = undefined
      this.#onAway(false)
    })
    return this.#waiting
  }

  async #wait(first: unknown): Promise<void> {
    let error = first
    const { tell, stop, limitMs = defaultLimitMs } = this.#listener
    const began = performance.now()
    const waitedMs = (): number => performance.now() - began
    let isTold = false
    let remindAt = reminderMs
    for (let pause = pauses.first; ; pause = Math.min(2 * pause, pauses.longest)) {
      if (stop?.aborted === true || waitedMs() > (isBusy(error) ? Math.max(limitMs, busyMs) : limitMs)) throw error
      // A cut connection is not reported while the server is reachable.
      if (!isTold && waitedMs() > 2 * pauses.first) {
        isTold = true
        this.#onAway(true)
        tell?.(
          `the store ${this.#shown} can't be reached (${describeOutage(error)}). This process waits and continues by itself.`,
        )
      }
      if (waitedMs() > remindAt) {
        remindAt += reminderMs
        tell?.(`still waiting for the store ${this.#shown}, for ${Math.round(waitedMs() / 60_000)} min`)
      }
      // Many processes that wait must not come back at the same instant.
      await sleep(pause * (0.5 + Math.random() / 2), undefined, stop === undefined ? {} : { signal: stop }).catch(
        () => undefined,
      )
      try {
        await this.#tryAgain()
        if (isTold) tell?.(`the store ${this.#shown} can be reached again, after ${Math.round(waitedMs() / 1000)} s`)
        return
      } catch (met) {
        // The server is reachable again, but rejects the connection, for example because the database was removed.
        if (!isOutage(met)) throw met
        error = met
      }
    }
  }
}
