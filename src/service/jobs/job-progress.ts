/** Turns the events of the stages into the few events that are kept of a job. */
import { storedText } from '../../../base/errors/option-words.js'
import type { StageEvent } from '../../../cache/events.js'
import type { JsonObject, Run } from '../../../cache/records.js'
import type { RunCounts, NewJobEvent } from '../../../cache/store.js'

/** Says how far a job is, in requests and docs. */
interface Progress {
  docs: number
  requests: number
  answered: number
  failed: number
  scored: number
  in_flight: number
}

/**
 * The least time between two `progress` events, in milliseconds. It grows with the age of the job, so that a job of days has a few thousand events and a short
 * one is followed closely.
 */
const progressInterval = (ageMs: number): number => Math.max(500, ageMs / 300)

/** Collects what the stages report and says what is to be stored. */
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

  /** Notes what the store had of the run when the job started. */
  start(run: Run, counts: RunCounts): NewJobEvent {
    this.#state.docs = counts.docs
    this.#state.requests = counts.items
    this.#state.answered = counts.answered
    return { type: 'run', data: { run: run.name, id: run.id, ...this.#data() } }
  }

  take(event: StageEvent): void {
    const state = this.#state
    switch (event.type) {
      case 'docs-read':
        state.docs += event.docs
        state.requests += (event.requests ?? event.docs) - (event.shared ?? 0)
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
        state.requests = event.counts.items
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

  /** Events that are due, and whether requests were answered since the last ones. @param isLast also what is not due yet */
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
