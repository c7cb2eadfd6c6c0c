import { messageOf } from '../../base/errors/errors.js'
import type { ResponseKey } from '../../cache/digest.js'
import type { DraftDoc, Store } from '../../cache/store.js'
import { realClock } from '../clock.js'
import type { CallOutcome } from './judge-request.js'

/** Milliseconds between two queries for answers of other processes. */
const pollMs = 500

/** A call of a judge model that waits for its reply. */
export interface OpenCall {
  readonly key: ResponseKey
  readonly draft: DraftDoc
  readonly settle: (outcome: CallOutcome) => void
  readonly breakOff: (reason: Error) => void
}

/** The calls in flight. Other processes may also answer them, so `poll` looks for such answers. */
export class OpenCalls {
  readonly #store: Pick<Store, 'dataVersion' | 'requests'>
  readonly #calls = new Map<ResponseKey, OpenCall>()
  #broken: Error | undefined
  #cancelPoll: (() => void) | undefined
  /** The database's version at the last query for other processes' answers. */
  #dataVersion = Number.NaN

  constructor(store: Pick<Store, 'dataVersion' | 'requests'>) {
    this.#store = store
  }

  get size(): number {
    return this.#calls.size
  }

  get keys(): readonly ResponseKey[] {
    return [...this.#calls.keys()]
  }

  /** The error that ended all calls early, if any. */
  get broken(): Error | undefined {
    return this.#broken
  }

  add(call: OpenCall): void {
    this.#calls.set(call.key, call)
  }

  settle(key: ResponseKey, outcome: CallOutcome): void {
    const call = this.#calls.get(key)
    this.#calls.delete(key)
    call?.settle(outcome)
  }

  /** Ends all calls with an error. Later calls end with the same one. */
  breakOff(error: unknown): void {
    this.#broken ??= error instanceof Error ? error : new Error(messageOf(error))
    for (const call of this.#calls.values()) call.breakOff(this.#broken)
    this.#calls.clear()
    this.#cancelPoll?.()
  }

  /** Looks for answers of other processes until `breakOff` is called. */
  poll(): void {
    this.#cancelPoll = realClock.after(pollMs, () => {
      void this.#lookElsewhere().finally(() => {
        if (this.#broken === undefined) this.poll()
      })
    })
  }

  async #lookElsewhere(): Promise<void> {
    try {
      const version = await this.#store.dataVersion()
      if (version === this.#dataVersion) return
      this.#dataVersion = version
      const { keys } = this
      const states = await this.#store.requests.known(keys)
      for (const key of keys.filter((_, index) => states[index] !== undefined)) {
        const outcome = await this.#store.requests.answerOf(key)
        if (outcome !== undefined) this.settle(key, outcome)
      }
    } catch (error) {
      this.breakOff(error)
    }
  }
}
