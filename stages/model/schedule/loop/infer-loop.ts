import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Wake } from '../../../../base/time/wake.js'
import type { Lease } from '../../../../cache/store.js'
import { isUnwritable, makeFinishNote } from '../../../../cache/waiting-answers/unwritable.js'
import type { Permit } from '../../budget/gate.js'
import type { Model } from '../../model.js'
import type { InferOptions, InferOutcome } from '../../infer-options.js'
import { Backlog } from './backlog.js'
import { makeAttempt, type AttemptOutcome } from './attempt.js'
import { type Hedge, Hedging } from './hedging.js'
import { closeModel, openModelFor } from './open-model.js'
import type { PendingRequest } from './pending-request.js'
import { PaceTeller } from './pace-teller.js'
import type { LimiterClient } from '../limits/limiter-client.js'
import { StandstillWatch } from './standstill-watch.js'

const pollMs = 50
/** The maximum number of leases that one query of the store checks. */
const mostChecked = 1_024
/** The number of leases that are checked first. */
const fewestChecked = 8
/** The time that a cancelled attempt may take to end. */
const graceMs = 1_000

/** One call of `inferRun`. It keeps the slots full until no request is left, then cleans up. */
export class InferLoop {
  readonly #options: InferOptions
  readonly #backlog: Backlog
  #client: LimiterClient | undefined
  readonly #pace: PaceTeller
  readonly #hedging: Hedging | undefined
  readonly #standstill: StandstillWatch
  readonly #changed = new Wake()
  readonly #abort = new AbortController()
  #model: Model | undefined
  #inFlight = 0
  /** The requests in flight, in the order of sending. */
  readonly #slots = new Set<{ readonly since: number }>()
  #error: { readonly thrown: unknown } | undefined
  #answered = 0
  #failed = 0
  #cancelPoll: (() => void) | undefined
  #isPollDue = false
  /** Cancels the timer for the next time at which a request may be sent. */
  #cancelHold: (() => void) | undefined
  #cancelGrace: (() => void) | undefined
  #isGraceOver = false
  #hasEnded = false

  constructor(options: InferOptions) {
    this.#options = options
    // Every attempt in flight adds a listener.
    setMaxListeners(0, this.#abort.signal)
    const slots = (): number => this.#client?.limiter.limit ?? 1
    this.#backlog = new Backlog({ order: 'media', ...options, slots }, () => this.#changed.notify())
    this.#pace = new PaceTeller(options)
    this.#standstill = new StandstillWatch(options.clock)
    this.#hedging = options.hedge && new Hedging(options.hedge, options)
  }

  async run(): Promise<InferOutcome> {
    const { drain, stop } = this.#options
    const onDrain = () => this.#changed.notify()
    const onStop = () => this.#breakOff()
    drain.addEventListener('abort', onDrain)
    stop.addEventListener('abort', onStop)
    this.#listen()
    try {
      this.#client = (await this.#options.openLimiter()).join(() => this.#changed.notify())
      await this.#keepSlotsFull(this.#client)
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

  async #keepSlotsFull(client: LimiterClient): Promise<void> {
    while (!this.#mustEnd()) {
      await this.#lookForWork()
      await this.#startAttempts(client)
      const standstill = this.#standstill.look(client.limiter, this.#backlog, this.#inFlight)
      this.#pace.look(client.limiter, standstill, () => this.#slots.values().next().value?.since)
      if (this.#isFinished()) return
      await this.#changed.wait(Infinity)
      // Waiting for the next turn lets input and output proceed, and handles requests that end together in one round.
      await nextTurn()
    }
  }

  #mustEnd(): boolean {
    return this.#error !== undefined || this.#options.drain.aborted || this.#options.stop.aborted
  }

  #isFinished(): boolean {
    return this.#inFlight === 0 && this.#backlog.isEmpty
  }

  async #lookForWork(): Promise<void> {
    const { queue, isCrowded } = this.#backlog
    if (this.#isPollDue) {
      this.#isPollDue = false
      if (await queue.isStale()) queue.lookAgain()
    }
    if (queue.isLow && !isCrowded) {
      void queue
        .refill()
        .catch((error: unknown) => this.#fail(error))
        .finally(() => this.#changed.notify())
    }
    if (queue.mayGrow) this.#poll()
  }

  async #startAttempts(client: LimiterClient): Promise<void> {
    if (this.#backlog.queue.length > 0) this.#model ??= await openModelFor(this.#options, () => this.#mustEnd())
    const model = this.#model
    if (model === undefined || this.#mustEnd()) return
    const held = new Set<PendingRequest>()
    for (let hedge = this.#nextHedge(); hedge !== undefined || this.#backlog.hasNext; hedge = this.#nextHedge()) {
      const wait = client.waitMs
      if (wait > 0) return this.#lookAgainIn(wait)
      const [next] = this.#backlog.listUpcoming(1)
      if (hedge !== undefined) this.#sendHedge(hedge, client)
      else if (next !== undefined && !held.has(next)) {
        const { limit, inFlight } = client.limiter
        // With a rate limit, few requests are sent at once.
        const free = Math.min(mostChecked, Math.max(1, limit - inFlight), Math.max(fewestChecked, 2 * held.size))
        if (await this.#backlog.findHeld(free, held, this.#options.store.requests)) this.#poll()
        if (this.#mustEnd()) return
      } else if (!this.#sendNext(model, client)) return
    }
    client.rest()
    if (this.#hedging !== undefined) this.#lookAgainIn(this.#hedging.waitMs)
  }

  #lookAgainIn(ms: number): void {
    this.#cancelHold?.()
    if (ms < Infinity) this.#cancelHold = this.#options.clock.after(Math.ceil(ms), () => this.#changed.notify())
  }

  /** Sends the next request with a valid lease. @returns false if no request can be sent now */
  #sendNext(model: Model, client: LimiterClient): boolean {
    const { gate } = this.#options
    const request = this.#backlog.take()
    if (request === undefined) return false
    const permit = gate?.admit(request.lease)
    if (gate !== undefined && permit === undefined) {
      this.#backlog.holdBack(request)
      // The gate may wait for a request of another loop.
      if (this.#inFlight === 0) this.#poll()
      return false
    }
    void this.#occupySlot(request, { model, client, permit })
    return true
  }

  /** Returns a late request. Hedges go first, because they are few and free a slot sooner. With a scarce budget, they go last. */
  #nextHedge(): Hedge | undefined {
    const isKeptBack = this.#options.gate?.isScarce === true && !this.#backlog.isEmpty
    return isKeptBack ? undefined : this.#hedging?.due
  }

  /** Sends a hedge. Its slot is free as soon as nothing of it is in flight. */
  #sendHedge(hedge: Hedge, client: LimiterClient): void {
    const sent = this.#hedging?.send(hedge, { client, gate: this.#options.gate })
    if (sent === undefined) return
    this.#inFlight += 1
    void sent.finally(() => {
      this.#inFlight -= 1
      client.leave()
      this.#changed.notify()
    })
  }

  /** Never rejects. An error ends the loop. */
  async #occupySlot(
    request: PendingRequest,
    {
      model,
      client,
      permit,
    }: { readonly model: Model; readonly client: LimiterClient; readonly permit: Permit | undefined },
  ): Promise<void> {
    this.#inFlight += 1
    const { lease } = request
    const copy = { send: client.enter(), permit }
    const signal = this.#abort.signal
    let isHeld = true
    const slot = { since: this.#options.clock.now() }
    this.#slots.add(slot)
    const freeSlot = (): void => {
      if (isHeld) client.leave()
      this.#slots.delete(slot)
      isHeld = false
      this.#changed.notify()
    }
    const options = {
      ...this.#options,
      model,
      client,
      copy,
      signal,
      freeSlot,
      openRace: this.#hedging?.raceOf(lease, signal),
    }
    try {
      this.#settle(await makeAttempt(request, options), lease)
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#inFlight -= 1
      freeSlot()
    }
  }

  #settle(outcome: AttemptOutcome, lease: Lease): void {
    const { emit, drain, answered } = this.#options
    if (outcome.type === 'broken-off') {
      this.#backlog.giveUp(lease)
      if (outcome.thrown !== undefined) this.#fail(outcome.thrown)
    } else if (outcome.type === 'answered') {
      this.#answered += 1
      emit({ type: 'answered', requests: 1, task: lease.item.task })
      answered.notify()
    } else if (outcome.type === 'failed') {
      this.#failed += 1
      const { class: failureClass, message } = outcome.failure
      emit({ type: 'request-failed', class: failureClass, message, task: lease.item.task })
      answered.notify()
    } else if (outcome.type === 'unsent') {
      this.#backlog.retries.add(outcome.request, 0, '')
      emit({ type: 'requests-unsent', requests: 1 })
    } else if (drain.aborted) this.#backlog.giveUp(lease)
    else {
      const { failure, waitMs, isThrottled } = outcome
      this.#backlog.retries.add(outcome.request, waitMs, failure.message)
      emit({ type: 'request-retried', class: failure.class, waitMs, ...(isThrottled ? { isThrottled } : {}) })
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
      this.#backlog.queue.expectMore()
      this.#changed.notify()
      this.#listen()
    })
  }

  #fail(thrown: unknown): void {
    // The answers to requests in flight are paid for, and the store keeps them in a file.
    if (!isUnwritable(thrown)) this.#breakOff()
    else if (this.#error === undefined && this.#slots.size > 0) this.#options.emit(makeFinishNote(this.#slots.size))
    this.#error ??= { thrown }
    this.#changed.notify()
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

  /** Waits for requests in flight, releases unused leases and closes. @returns whether no request was left */
  async #tidyUp(): Promise<boolean> {
    while ((this.#inFlight > 0 || this.#backlog.queue.isLooking) && !this.#isGraceOver)
      await this.#changed.wait(Infinity)
    this.#hasEnded = true
    this.#client?.quit()
    for (const cancel of [this.#cancelPoll, this.#cancelHold, this.#cancelGrace]) cancel?.()
    const isFinished = this.#isFinished()
    const unused = this.#backlog.takeAll()
    const steps: Promise<void>[] = []
    if (unused.length > 0) steps.push(this.#options.store.requests.release(unused))
    if (this.#client !== undefined) steps.push(this.#pace.end(this.#client.limiter))
    // A native session that is closed while it computes would crash the process.
    if (this.#inFlight === 0 && this.#model?.close !== undefined) steps.push(closeModel(this.#model, this.#options))
    for (const step of await Promise.allSettled(steps)) {
      if (step.status === 'rejected') this.#error ??= { thrown: step.reason }
    }
    return isFinished
  }
}
