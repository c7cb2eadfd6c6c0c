import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { messageOf, PipelineError } from '../../../base/errors.js'
import { Wake } from '../../../base/wake.js'
import type { Lease } from '../../../cache/store.js'
import { AttemptError, type Model } from '../define-backend.js'
import type { InferOptions, InferOutcome } from '../infer.js'
import { LeaseQueue } from './lease-queue.js'
import { nextTry } from './retry.js'
import { RetryQueue, type Attempt } from './retry-queue.js'

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
    return this.#queue.isFinished && this.#inFlight === 0 && this.#retries.size === 0 && this.#unused.length === 0
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
    const { clock, concurrency } = this.#options
    if (this.#queue.length > 0) this.#model ??= await this.#options.openModel()
    const model = this.#model
    if (model === undefined || this.#mustEnd() || clock.now() < this.#heldUntil) return
    while (this.#inFlight < concurrency) {
      const attempt = this.#retries.take() ?? this.#fresh()
      if (attempt === undefined) return
      void this.#occupySlot(model, attempt)
    }
  }

  #fresh(): Attempt | undefined {
    const lease = this.#isCrowded() ? undefined : this.#queue.take()
    return lease && { lease, number: 1 }
  }

  /** Never rejects: what goes wrong ends the loop. */
  async #occupySlot(model: Model, attempt: Attempt): Promise<void> {
    this.#inFlight += 1
    try {
      await this.#ask(model, attempt)
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#inFlight -= 1
      this.#changed.notify()
    }
  }

  async #ask(model: Model, { lease, number }: Attempt): Promise<void> {
    const { store, clock, stamp, emit } = this.#options
    const startedAt = clock.now()
    emit({ type: 'requests-sent', requests: 1 })
    let answer
    try {
      const { input, generation, sample } = lease
      answer = await model.answer({ input, generation, sample }, this.#abort.signal)
    } catch (error) {
      await this.#handleFailure({ lease, number }, error)
      return
    }
    await store.commitResponse(lease, answer.body, {
      ...(answer.usage === undefined ? {} : { usage: answer.usage }),
      durationMs: Math.round(clock.now() - startedAt),
      attempts: number,
      answeredAt: clock.wallNow(),
      ...stamp,
    })
    this.#answered += 1
    emit({ type: 'answered', requests: 1 })
    this.#options.answered.notify()
  }

  async #handleFailure({ lease, number }: Attempt, error: unknown): Promise<void> {
    const { store, emit, retry, clock, random } = this.#options
    if (this.#abort.signal.aborted) return void this.#unused.push(lease)
    if (error instanceof PipelineError) {
      this.#unused.push(lease)
      throw error
    }
    const failure = asAttemptError(error)
    const next = nextTry(retry, failure, { attempt: number, random: random() })
    if (next === 'give up') {
      await store.commitFailure(lease, { class: failure.class, message: failure.message, attempts: number })
      this.#failed += 1
      emit({ type: 'request-failed', class: failure.class, message: failure.message })
      this.#options.answered.notify()
      return
    }
    if (this.#options.drain.aborted) return void this.#unused.push(lease)
    this.#retries.add({ lease, number: number + 1 }, next.waitMs)
    if (failure.class === 'rate_limited') this.#hold(clock.now() + (failure.retryAfter ?? 0))
    emit({ type: 'request-retried', class: failure.class, waitMs: next.waitMs })
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
    const unused = [...this.#queue.takeAll(), ...this.#retries.takeAll(), ...this.#unused]
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

function asAttemptError(error: unknown): AttemptError {
  if (error instanceof AttemptError) return error
  return new AttemptError('server', messageOf(error), { isRetryable: true, cause: error })
}
