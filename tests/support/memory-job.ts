import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import type { Job, JobEvent, JobOutcome, NewJobEvent, ReleaseOptions } from '../../cache/store.js'

/** A job as the handles of a store in memory share it. */
export interface StoredJob {
  readonly number: number
  job: Job
  events: readonly JobEvent[]
  owner: string | undefined
  token: number
  isWebhookDue: boolean
}

/** Copies a value, because a store never returns the object that it was given. */
export const copied = <T>(value: T): T => JSON.parse(canonicalJson(value as Json)) as T

export const change = (entry: StoredJob, fields: Partial<Job>): void => void (entry.job = { ...entry.job, ...fields })

export function happen(entry: StoredJob, ...events: readonly NewJobEvent[]): void {
  for (const { type, data } of events)
    entry.events = [...entry.events, { id: entry.events.length + 1, at: Date.now(), type, data: copied(data) }]
}

export function end(entry: StoredJob, outcome: JobOutcome): void {
  change(entry, { ...copied(outcome), finishedAt: Date.now() })
  entry.owner = undefined
  entry.isWebhookDue = entry.job.webhook !== undefined
  happen(entry, { type: outcome.status, data: outcome })
}

/** Puts a job back into the queue, unless nobody wants it any more. @param starts the number of starts that still count */
export function requeue(entry: StoredJob, starts = entry.job.starts, { nextStage, why }: ReleaseOptions = {}): void {
  if (entry.job.isCancelling) {
    end(entry, { status: 'cancelled' })
    return
  }
  change(entry, { status: 'queued', starts, ...(nextStage !== undefined && { nextStage }) })
  entry.owner = undefined
  happen(entry, {
    type: 'requeued',
    data: { ...(nextStage !== undefined && { next_stage: nextStage }), ...(why !== undefined && { why }) },
  })
}
