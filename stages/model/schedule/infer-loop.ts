import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Wake } from '../../../base/wake.js'
import type { Lease } from '../../../cache/store.js'
import type { Ticket } from '../budget/gate.js'
import type { Model } from '../define-backend.js'
import type { InferOptions, InferOutcome } from '../infer.js'
import { makeAttempt, type AttemptOutcome } from './attempt.js'
import { LeaseQueue } from './lease-queue.js'
import type { PendingRequest } from './pending-request.js'
import { PaceTeller } from './pace-teller.js'
import { RetryQueue } from './retry-queue.js'
import type { Share } from './share.js'

const pollMs = 50
/** How long a broken-off attempt may take to notice it. */
const graceMs = 1_000

/** One call of `inferRun`: keeps the slots full until nothing is left, and then tidies up. */
export class InferLoop {
  readonly #options: InferOptions
  readonly #queue: LeaseQueue
  #share: Share | undefined
  readonly #pace: PaceTeller
  readonly #retries: RetryQueue
  /** Something happened that the loop should look at. */
  readonly #changed = new Wake()
  readonly #abort = new AbortController()
  #model: Model | undefined
  #inFlight = 0
  /** Leases of attempts that were broken off, to be given back. */
  readonly #unused: Lease[] = []
  /** What the gate did not let through yet. */
  #heldBack: PendingRequest | undefined
  #error: { readonly thrown: unknown } | undefined
  #answered = 0
  #failed = 0
  #cancelPoll: (() => void) | undefined
  #isPollDue = false
  #cancelHold: (() => void) | undefined
  #cancelGrace: (() => void) | undefined
  #isGraceOver = false
  #hasEnded = false

  constructor(options: InferOptions) {
    this.#options = options
    // Every attempt under way listens.
    setMaxListeners(0, this.#abort.signal)
    this.#queue = new LeaseQueue({ order: 'media', ...options, slots: () => this.#share?.traffic.limit ?? 1 })
    this.#pace = new PaceTeller(options)
    this.#retries = new RetryQueue(options.clock, () => this.#changed.notify())
  }

  async run(): Promise<InferOutcome> {
    const { drain, stop } = this.#options
    const onDrain = () => this.#changed.notify()
    const onStop = () => this.#breakOff()
    drain.addEventListener('abort', onDrain)
    stop.addEventListener('abort', onStop)
    if (stop.aborted) onStop()
    this.#listen()
    try {
      this.#share = (await this.#options.openTraffic()).join(() => this.#changed.notify())
      await this.#keepSlotsFull(this.#share)
    } catch (error) {
      this.#fail(error)
    }
    const isFinished = await this.#tidyUp()
    drain.removeEventListener('abort', onDrain)
    stop.removeEventListener('abort', onStop)
    if (this.#error !== undefined) throw this.#error.thrown
    const ended = isFinished ? 'finished' : stop.aborted ? 'stopped' : 'drained'
    return { ended, answered: this.#answered, failed: this.#failed }
  }

  async #keepSlotsFull(share: Share): Promise<void> {
    while (!this.#mustEnd()) {
      this.#lookForWork()
      await this.#startAttempts(share)
      this.#pace.look(share.traffic)
      if (this.#isFinished()) return
      await this.#changed.wait(Infinity)
      // Gives way to input and output whatever the model's speed, and takes what ends together in one round.
      await nextTurn()
    }
  }

  #mustEnd(): boolean {
    return this.#error !== undefined || this.#options.drain.aborted || this.#options.stop.aborted
  }

  #isFinished(): boolean {
    return (
      this.#queue.isFinished &&
      this.#inFlight === 0 &&
      this.#retries.size === 0 &&
      this.#unused.length === 0 &&
      this.#heldBack === undefined
    )
  }

  #lookForWork(): void {
    if (this.#isPollDue) {
      this.#isPollDue = false
      if (this.#queue.isStale()) this.#queue.lookAgain()
    }
    if (this.#queue.isLow && !this.#isCrowded()) {
      void this.#queue
        .refill()
        .catch((error: unknown) => this.#fail(error))
        .finally(() => this.#changed.notify())
    }
    if (this.#queue.mayGrow) this.#poll()
  }

  /** So many wait to be tried again that nothing new is begun: else a refusing server would be asked everything. */
  #isCrowded(): boolean {
    return this.#retries.size >= 4 * Math.max(1, this.#share?.traffic.limit ?? 1)
  }

  async #startAttempts(share: Share): Promise<void> {
    const { clock, gate } = this.#options
    if (this.#queue.length > 0) this.#model ??= await this.#options.openModel()
    const model = this.#model
    if (model === undefined || this.#mustEnd()) return
    while (this.#hasNext()) {
      const wait = share.waitMs
      if (wait > 0) {
        this.#cancelHold?.()
        if (wait < Infinity) this.#cancelHold = clock.after(Math.ceil(wait), () => this.#changed.notify())
        return
      }
      const request = this.#takeNext()
      if (request === undefined) return
      const ticket = gate?.admit(request.lease)
      if (gate !== undefined && ticket === undefined) {
        this.#heldBack = request
        // What the gate waits for may be under way elsewhere.
        if (this.#inFlight === 0) this.#poll()
        return
      }
      void this.#occupySlot(request, { model, share, ticket })
    }
    share.rest()
  }

  #hasNext(): boolean {
    return this.#heldBack !== undefined || this.#retries.isDue || (!this.#isCrowded() && this.#queue.length > 0)
  }

  #takeNext(): PendingRequest | undefined {
    const heldBack = this.#heldBack
    this.#heldBack = undefined
    return heldBack ?? this.#retries.take() ?? (this.#isCrowded() ? undefined : this.#queue.take())
  }

  /** Never rejects: what goes wrong ends the loop. */
  async #occupySlot(
    request: PendingRequest,
    { model, share, ticket }: { readonly model: Model; readonly share: Share; readonly ticket: Ticket | undefined },
  ): Promise<void> {
    this.#inFlight += 1
    const { lease } = request
    const send = share.enter()
    try {
      const options = { ...this.#options, model, ticket, share, send, signal: this.#abort.signal }
      this.#settle(await makeAttempt(request, options), lease)
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#inFlight -= 1
      share.leave()
      this.#changed.notify()
    }
  }

  #settle(outcome: AttemptOutcome, lease: Lease): void {
    const { emit, drain, answered } = this.#options
    if (outcome.type === 'broken-off') {
      this.#unused.push(lease)
      if (outcome.thrown !== undefined) this.#fail(outcome.thrown)
    } else if (outcome.type === 'answered') {
      this.#answered += 1
      emit({ type: 'answered', requests: 1 })
      answered.notify()
    } else if (outcome.type === 'failed') {
      this.#failed += 1
      emit({ type: 'request-failed', class: outcome.failure.class, message: outcome.failure.message })
      answered.notify()
    } else if (drain.aborted) this.#unused.push(lease)
    else {
      const { failure, waitMs } = outcome
      this.#retries.add(outcome.request, waitMs)
      emit({ type: 'request-retried', class: failure.class, waitMs })
    }
  }

  #poll(): void {
    this.#cancelPoll ??= this.#options.clock.after(pollMs, () => {
      this.#cancelPoll = undefined
      this.#isPollDue = true
      this.#changed.notify()
    })
  }

  #listen(): void {
    void this.#options.wake.wait(Infinity).then(() => {
      if (this.#hasEnded) return
      this.#queue.expectMore()
      this.#changed.notify()
      this.#listen()
    })
  }

  #fail(thrown: unknown): void {
    this.#error ??= { thrown }
    this.#breakOff()
  }

  #breakOff(): void {
    if (this.#abort.signal.aborted) return
    this.#abort.abort()
    this.#cancelGrace = this.#options.clock.after(graceMs, () => {
      this.#isGraceOver = true
      this.#changed.notify()
    })
    this.#changed.notify()
  }

  /** Waits for what is under way, gives back what was not asked, closes. @returns whether nothing was left to ask. */
  async #tidyUp(): Promise<boolean> {
    while ((this.#inFlight > 0 || this.#queue.isLooking) && !this.#isGraceOver) await this.#changed.wait(Infinity)
    this.#hasEnded = true
    this.#share?.quit()
    for (const cancel of [this.#cancelPoll, this.#cancelHold, this.#cancelGrace]) cancel?.()
    const isFinished = this.#isFinished()
    const heldBack = this.#heldBack === undefined ? [] : [this.#heldBack.lease]
    const unused = [...heldBack, ...this.#queue.takeAll(), ...this.#retries.takeAll(), ...this.#unused]
    const steps: Promise<void>[] = []
    if (unused.length > 0) steps.push(this.#options.store.release(unused))
    if (this.#share !== undefined) steps.push(this.#pace.end(this.#share.traffic))
    // A native session that closes while it works would crash the process.
    if (this.#inFlight === 0 && this.#model?.close !== undefined) steps.push(this.#model.close())
    for (const step of await Promise.allSettled(steps)) {
      if (step.status === 'rejected') this.#error ??= { thrown: step.reason }
    }
    return isFinished
  }
}
