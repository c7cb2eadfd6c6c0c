/** Turns the events of the stages into the few events that are kept of a job, and stores them. */
import { storedText } from '../../../base/errors/option-words.js'
import type { StageEvent } from '../../../cache/events.js'
import type { JsonObject, Run } from '../../../cache/records.js'
import type { JobLease, NewJobEvent, RunCounts, Store } from '../../../cache/store.js'
import { abortBecause } from '../../evaluation/stopping/why-stopped.js'

/** The progress of a job, in requests and docs. */
interface Progress {
  docs: number
  requests: number
  answered: number
  failed: number
  scored: number
  in_flight: number
}

/**
 * The minimum time between two `progress` events, in milliseconds. It grows with the job's age, so that a job of several days has only a few thousand
 * events.
 */
const progressInterval = (ageMs: number): number => Math.max(500, ageMs / 300)

/** Collects the events of the stages, and decides which job events are stored. */
export class JobProgress {
  readonly #now: () => number
  readonly #began: number
  #toldAt: number
  #hasChanged = false
  #notes: string[] = []
  #lastAnswered = 0
  readonly #state: Progress = { docs: 0, requests: 0, answered: 0, failed: 0, scored: 0, in_flight: 0 }

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now
    this.#began = now()
    this.#toldAt = this.#began
  }

  /** Records the run's counts at the job's start. */
  start(run: Run, counts: RunCounts): NewJobEvent {
    this.#state.docs = counts.docs
    this.#state.requests = counts.items - counts.shared
    this.#state.answered = counts.answered
    return { type: 'run', data: { run: run.name, id: run.id, ...this.#data() } }
  }

  take(event: StageEvent): void {
    const state = this.#state
    switch (event.type) {
      case 'docs-read':
        state.docs += event.docs
        state.requests += event.requests - event.shared
        break
      case 'from-store':
      case 'answered':
        state.answered += event.requests
        break
      case 'request-failed':
        state.failed += 1
        break
      case 'docs-scored':
        state.scored += event.docs
        break
      case 'pace':
        state.in_flight = event.inFlight
        break
      case 'run-counts':
        state.docs = event.counts.docs
        state.requests = event.counts.items - event.counts.shared
        state.answered = event.counts.answered
        break
      case 'note':
        if (this.#notes.length < mostNotes) this.#notes.push(storedText(event.text))
        break
      default:
        return
    }
    this.#hasChanged = true
  }

  /** Returns the events that are due, and whether requests were answered since the last call. @param isLast also returns events that are not due yet */
  due(isLast = false): { readonly events: readonly NewJobEvent[]; readonly isProgress: boolean } {
    const now = this.#now()
    const isDue = isLast || now - this.#toldAt >= progressInterval(now - this.#began)
    if (!this.#hasChanged || !isDue) return { events: [], isProgress: false }
    const notes = this.#notes.map(text => ({ type: 'note', data: { text } }))
    const isProgress = this.#state.answered > this.#lastAnswered
    this.#lastAnswered = this.#state.answered
    this.#toldAt = now
    this.#hasChanged = false
    this.#notes = []
    return { events: [...notes, { type: 'progress', data: this.#data() }], isProgress }
  }

  #data(): JsonObject {
    return { ...this.#state }
  }
}

/** Notes that are kept between two events: a note for each of a million docs must not fill the store. */
const mostNotes = 20

/** The interval at which a worker stores progress and checks for a cancellation, in milliseconds. */
const lookMs = 250
/** The time for which a cancelled job waits for requests in flight before it gives them up, in milliseconds. */
const drainMs = 30_000

interface FollowedParts {
  readonly progress: JobProgress
  readonly drain: AbortController
  readonly stop: AbortController
  readonly shutdown: AbortSignal
}

/** Stores the events of a running job, and stops the job if it is cancelled or its lease is lost. */
export class FollowedJob {
  readonly #store: Pick<Store, 'dataVersion' | 'jobs'>
  readonly #lease: JobLease
  readonly #parts: FollowedParts
  readonly #timer: NodeJS.Timeout
  #writing: Promise<void> = Promise.resolve()
  #drainingSince: number | undefined
  #version = -1
  #isChecking = false
  isLost = false
  isCancelled = false

  constructor(store: Pick<Store, 'dataVersion' | 'jobs'>, lease: JobLease, parts: FollowedParts) {
    this.#store = store
    this.#lease = lease
    this.#parts = parts
    this.#timer = setInterval(() => {
      this.#look()
    }, lookMs)
    parts.shutdown.addEventListener('abort', this.#drain, { once: true })
    if (parts.shutdown.aborted) this.#drain()
  }

  /** Stores an event that names the run. */
  tell(event: { readonly type: string; readonly data: JsonObject }, run: string): void {
    this.#write(() => this.#store.jobs.append(this.#lease, [event], { run }))
  }

  /** Stores the remaining events, and stops. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    this.#parts.shutdown.removeEventListener('abort', this.#drain)
    this.#storeDue(true)
    await this.#writing
    // A cancellation that came with the last answer still counts.
    await this.#checkCancelled()
  }

  readonly #drain = (): void => {
    this.#drainingSince ??= performance.now()
    const why = this.isCancelled
      ? 'its job was cancelled'
      : this.isLost
        ? 'another worker took its job over'
        : 'the server or worker of its job was ended'
    this.#parts.drain.abort(abortBecause(why))
  }

  #look(): void {
    this.#storeDue(false)
    // While a store does not reply, questions must not pile up.
    if (!this.#isChecking) {
      this.#isChecking = true
      this.#write(async () => {
        await this.#checkCancelled().finally(() => (this.#isChecking = false))
        return true
      })
    }
    if (this.#drainingSince !== undefined && performance.now() - this.#drainingSince > drainMs) this.#parts.stop.abort()
  }

  #storeDue(isLast: boolean): void {
    const { events, isProgress } = this.#parts.progress.due(isLast)
    if (events.length > 0) this.#write(() => this.#store.jobs.append(this.#lease, events, { progress: isProgress }))
  }

  /** Another process cancels; its commit changes the version of the data. */
  async #checkCancelled(): Promise<void> {
    const version = await this.#store.dataVersion()
    if (version === this.#version) return
    this.#version = version
    const job = await this.#store.jobs.find(this.#lease.job.id)
    if (job?.isCancelling !== true || this.isCancelled) return
    this.isCancelled = true
    this.#drain()
  }

  /** One write after the other. A lease that is lost ends the work: another worker does it. */
  #write(work: () => Promise<boolean>): void {
    this.#writing = this.#writing.then(async () => {
      if (this.isLost) return
      // An error of the store does not mean that the lease is lost. The stages get the same error, and end the job.
      const isHeld = await work().catch(() => true)
      if (isHeld) return
      this.isLost = true
      this.#parts.stop.abort()
      this.#drain()
    })
  }
}
