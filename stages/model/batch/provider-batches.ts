import { PipelineError } from '../../../base/errors/errors.js'
import type { ProviderBatch } from '../../../cache/batches.js'
import type { BatchOptions } from '../infer-options.js'
import { AttemptError } from '../model.js'
import type { BatchStatus } from './batch-client.js'
import { formatRequestCount, missingResults, refusedBatch, unreachableBatch } from './batch-errors.js'
import type { BatchFiller } from './batch-filler.js'
import { type BatchWork, note, patiently } from './batch-work.js'
import { collect, type Collected, MissingResultsError } from './collect.js'
import { QueueLimit } from './queue-limit.js'
import { free, submitBatch } from './submit.js'

/** The wait before the first check of a batch. */
const firstMs = 2_000
const growth = 1.5

/** Computes the wait before a check. `looks` counts the checks from 0, and `mostMs` is the maximum. */
const growingWait = (looks: number, mostMs: number): number => Math.min(mostMs, firstMs * growth ** looks)

/** The time that a batch waits for the provider to accept the previous one, in milliseconds. */
const checkMs = 600_000
/** The number of checks with incomplete results, each with several downloads, before the user is asked. */
const shortDownloads = 3

/** A batch's next check and its last status. */
interface Watched {
  looks: number
  dueAt: number
  status: BatchStatus | undefined
}

/** Submits batches to the provider and checks on them. */
export class ProviderBatches {
  readonly #work: BatchWork
  readonly #batch: Pick<BatchOptions, 'pollMs' | 'waits'>
  readonly #filler: BatchFiller
  readonly #watched = new Map<number, Watched>()
  #answered = 0
  #failed = 0
  #ended = 0
  readonly #queue = new QueueLimit()
  /** Errors that end the work once all batches were checked. */
  readonly #problems: PipelineError[] = []
  /** The run's batches at the provider. The next field has the batches that this process submitted. */
  readonly #atProvider = new Set<number>()
  readonly #submittedHere = new Set<number>()
  /** The last submitted batch, until the provider has accepted or rejected it. */
  #unchecked: ProviderBatch | undefined
  /** By batch: the number of checks with incomplete results. */
  readonly #missing = new Map<number, number>()

  constructor(work: BatchWork, batch: Pick<BatchOptions, 'pollMs' | 'waits'>, filler: BatchFiller) {
    this.#work = work
    this.#batch = batch
    this.#filler = filler
  }

  get answered(): number {
    return this.#answered
  }

  get failed(): number {
    return this.#failed
  }

  /** The number of batches that have ended. */
  get ended(): number {
    return this.#ended
  }

  /** The number of batches at the provider. */
  get size(): number {
    return this.#atProvider.size
  }

  /** Errors that end the work once all batches were checked. */
  get problems(): readonly PipelineError[] {
    return this.#problems
  }

  /** True if another batch may be submitted now. */
  get takesMore(): boolean {
    return this.#problems.length === 0 && !(this.#queue.isOneAtATime && this.#atProvider.size > 0)
  }

  /** The times of the next checks, in milliseconds of the clock. */
  get due(): readonly number[] {
    return [...this.#watched.values()].map(({ dueAt }) => dueAt)
  }

  /** The number of finished requests of a batch at the last check. */
  through({ ref }: ProviderBatch): number {
    return this.#watched.get(ref)?.status?.done ?? 0
  }

  /** True if the last download of its results was incomplete. */
  isShort({ ref }: ProviderBatch): boolean {
    return this.#missing.has(ref)
  }

  /** Checks or submits a batch when it is due. */
  async attend(batch: ProviderBatch): Promise<void> {
    if (batch.state === 'submitted') this.#atProvider.add(batch.ref)
    if (this.#work.options.clock.now() < this.#watch(batch).dueAt) return
    await (batch.state === 'submitted' ? this.look(batch) : this.submit(batch))
  }

  /** Waits until the provider has accepted or rejected the last submitted batch. */
  async untilTaken(): Promise<void> {
    const { mustEnd, options, pause } = this.#work
    const until = options.clock.now() + checkMs
    for (let looks = 0; !mustEnd() && options.clock.now() < until; looks += 1) {
      const batch = this.#unchecked
      if (batch === undefined) return
      if (looks > 0) await pause(growingWait(looks - 1, this.#batch.pollMs))
      await this.look(batch)
    }
  }

  async submit(batch: ProviderBatch): Promise<void> {
    const watched = this.#watch(batch)
    await this.#patient(batch, async () => {
      const submission = await this.#submitOrLater(batch)
      if (submission === undefined) return
      const { state, requests, id = '', open } = submission
      if (open > 0 && state === 'submitted') {
        note(this.#work, `${formatRequestCount(requests)} submitted as batch ${id}`)
        this.#atProvider.add(batch.ref)
        this.#submittedHere.add(batch.ref)
        this.#unchecked = submission
      }
      if (open > 0 && state === 'creating' && watched.looks === 0 && !this.#work.mustEnd())
        note(
          this.#work,
          `${formatRequestCount(requests)} may be in a batch that the provider works on. That is known when the batch has ended, and nothing is submitted before`,
        )
    })
    this.#later(watched)
  }

  /** Submits a batch. Undefined if the provider has reached a limit while other batches run. It is submitted after these. */
  async #submitOrLater(batch: ProviderBatch): Promise<ProviderBatch | undefined> {
    try {
      return await submitBatch(this.#work, batch)
    } catch (error) {
      if (!(error instanceof PipelineError) || !isRateLimited(error.cause) || this.#atProvider.size === 0) throw error
      this.#queue.isFull()
      this.#leave(batch)
      this.#filler.restart()
      note(this.#work, `${error.message.split('\n')[0]}. From now on one batch at a time is submitted`)
      return undefined
    }
  }

  async look(batch: ProviderBatch): Promise<void> {
    const work = this.#work
    const { id = '' } = batch
    const watched = this.#watch(batch)
    await this.#patient(batch, async () => {
      const status = await patiently(work, () => work.client.status(id, work.signal))
      watched.status = status
      if (status.isChecking !== true && this.#unchecked?.ref === batch.ref) this.#unchecked = undefined
      if (status.state === 'refused') await this.#refused(batch, status)
      if (status.state === 'ended') await this.#collect(batch, status)
    })
    this.#later(watched)
  }

  /**
   * Handles a rejected batch, of which no request was answered. A batch of an earlier command is submitted again, because the cause may be gone. A
   * batch of this command would be rejected again, unless the queue was full.
   */
  async #refused(batch: ProviderBatch, status: BatchStatus): Promise<void> {
    const work = this.#work
    const { id = '', open } = batch
    const { reason, isQueueFull = false } = status
    this.#leave(batch)
    const isAlone = this.#atProvider.size === 0
    const smaller = isQueueFull ? await this.#queue.learn(work, batch, { reason, isAlone }) : undefined
    const isAgain = work.submits && (isQueueFull ? smaller !== undefined : !this.#submittedHere.has(batch.ref))
    await free(work, batch)
    if (!isAgain) return void this.#problems.push(refusedBatch(batch, status))
    this.#filler.restart()
    const why = `the provider refused batch ${id} of ${formatRequestCount(open)}: ${reason ?? 'without a reason'}.`
    if (smaller === undefined) return note(this.#work, `${why} They are submitted again`)
    this.#filler.shrink(smaller)
    note(this.#work, `${why} From now on one batch at a time is submitted, of ${formatRequestCount(smaller)} at most`)
    if (isAlone && this.#batch.waits) await work.pause(growingWait(this.#queue.refusals, this.#batch.pollMs))
  }

  async #collect(batch: ProviderBatch, status: BatchStatus): Promise<void> {
    const { answered, failed } = await this.#whole(batch, () => collect(this.#work, batch, status))
    this.#leave(batch)
    this.#answered += answered
    this.#failed += failed
    this.#ended += 1
    const reason = status.reason === undefined ? '' : ` (${status.reason})`
    note(this.#work, `batch ${batch.id ?? ''} ended${reason}: ${answered} answered, ${failed} failed`)
  }

  /** Downloads results. Incomplete ones are downloaded again at later checks. Only the user can give them up. */
  async #whole(batch: ProviderBatch, download: () => Promise<Collected>): Promise<Collected> {
    try {
      return await download()
    } catch (error) {
      if (!(error instanceof MissingResultsError)) throw error
      const times = (this.#missing.get(batch.ref) ?? 0) + 1
      this.#missing.set(batch.ref, times)
      if (times >= shortDownloads) this.#problems.push(missingResults(batch, error))
      throw error
    }
  }

  #leave({ ref }: ProviderBatch): void {
    this.#watched.delete(ref)
    this.#atProvider.delete(ref)
    if (this.#unchecked?.ref === ref) this.#unchecked = undefined
  }

  /** Runs a step of a check. If the provider fails for now, a later check repeats it. */
  async #patient(batch: ProviderBatch, step: () => Promise<void>): Promise<void> {
    try {
      await step()
    } catch (error) {
      if (!(error instanceof AttemptError) || this.#work.signal.aborted) throw error
      if (!error.isRetryable) throw unreachableBatch(batch, error)
      note(this.#work, `batch ${batch.id ?? batch.name} could not be looked at: ${error.message}`)
    }
  }

  #watch(batch: ProviderBatch): Watched {
    const watched = this.#watched.get(batch.ref) ?? { looks: 0, dueAt: 0, status: undefined }
    this.#watched.set(batch.ref, watched)
    return watched
  }

  #later(watched: Watched): void {
    watched.dueAt = this.#work.options.clock.now() + growingWait(watched.looks, this.#batch.pollMs)
    watched.looks += 1
  }
}

const isRateLimited = (error: unknown): boolean => error instanceof AttemptError && error.class === 'rate_limited'
