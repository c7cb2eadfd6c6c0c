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
import { RetryQueue } from './retry-queue.js'

const pollMs = 50
/** How long a broken-off attempt may take to notice it. */
const graceMs = 1_000

/** One call of `inferRun`: keeps the slots full until nothing is left, and then tidies up. */
export class InferLoop {
  readonly #options: InferOptions
  readonly #queue: LeaseQueue
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
  /** No request starts before: a server that says when to come back means all of them. */
  #heldUntil = 0
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
    this.#queue = new LeaseQueue({ ...options, slots: options.concurrency })
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
      await this.#keepSlotsFull()
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

  async #keepSlotsFull(): Promise<void> {
    while (!this.#mustEnd()) {
      this.#lookForWork()
      await this.#startAttempts()
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
    return this.#retries.size >= 4 * this.#options.concurrency
  }

  async #startAttempts(): Promise<void> {
    const { clock, concurrency, gate } = this.#options
    if (this.#queue.length > 0) this.#model ??= await this.#options.openModel()
    const model = this.#model
    if (model === undefined || this.#mustEnd() || clock.now() < this.#heldUntil) return
    while (this.#inFlight < concurrency) {
      const request = this.#takeNext()
      if (request === undefined) return
      const ticket = gate?.admit(request.lease)
      if (gate !== undefined && ticket === undefined) {
        this.#heldBack = request
        // What the gate waits for may be under way elsewhere.
        if (this.#inFlight === 0) this.#poll()
        return
      }
      void this.#occupySlot(model, request, ticket)
    }
  }

  #takeNext(): PendingRequest | undefined {
    const heldBack = this.#heldBack
    this.#heldBack = undefined
    return heldBack ?? this.#retries.take() ?? (this.#isCrowded() ? undefined : this.#queue.take())
  }

  /** Never rejects: what goes wrong ends the loop. */
  async #occupySlot(model: Model, request: PendingRequest, ticket: Ticket | undefined): Promise<void> {
    this.#inFlight += 1
    const { lease } = request
    try {
      const outcome = await makeAttempt(request, { ...this.#options, model, ticket, signal: this.#abort.signal })
      this.#settle(outcome, lease)
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#inFlight -= 1
      this.#changed.notify()
    }
  }

  #settle(outcome: AttemptOutcome, lease: Lease): void {
    const { emit, clock, drain, answered } = this.#options
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
      if (failure.class === 'rate_limited') this.#hold(clock.now() + (failure.retryAfter ?? 0))
      emit({ type: 'request-retried', class: failure.class, waitMs })
    }
  }

  #hold(until: number): void {
    if (until <= this.#heldUntil) return
    this.#heldUntil = until
    this.#cancelHold?.()
    this.#cancelHold = this.#options.clock.after(until - this.#options.clock.now(), () => this.#changed.notify())
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
    for (const cancel of [this.#cancelPoll, this.#cancelHold, this.#cancelGrace]) cancel?.()
    const isFinished = this.#isFinished()
    const heldBack = this.#heldBack === undefined ? [] : [this.#heldBack.lease]
    const unused = [...heldBack, ...this.#queue.takeAll(), ...this.#retries.takeAll(), ...this.#unused]
    const steps: Promise<void>[] = []
    if (unused.length > 0) steps.push(this.#options.store.release(unused))
    // A native session that closes while it works would crash the process.
    if (this.#inFlight === 0 && this.#model?.close !== undefined) steps.push(this.#model.close())
    for (const step of await Promise.allSettled(steps)) {
      if (step.status === 'rejected') this.#error ??= { thrown: step.reason }
    }
    return isFinished
  }
}
