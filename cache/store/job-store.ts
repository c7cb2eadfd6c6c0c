import type { JsonObject } from '../records.js'

/** `queued` and `running` are open; the others are final. */
export type JobStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'

/** The stages of a job, in the order in which its workers do them. */
export const jobStages = ['input', 'model', 'judge'] as const
export type JobStage = (typeof jobStages)[number]

/** A submitted job. The store does not interpret `request`. */
export interface NewJob {
  /** A UUID. */
  readonly id: string
  readonly request: JsonObject
  /** Jobs with the same group share a limit; the service uses the model. */
  readonly group: string
  /** Higher is earlier; jobs of the same priority run in the order of submission. @default 0 */
  readonly priority?: number
  readonly labels?: Readonly<Record<string, string>>
  /** Submitting the same key again returns the first job. */
  readonly idempotencyKey?: string
  /** The id of the token that submitted it; absent if none was needed. */
  readonly submitter?: string
  /** An address that gets a notification when the job ends. */
  readonly webhook?: string
}

/** A stored job with its state. */
export interface Job extends NewJob {
  readonly priority: number
  readonly labels: Readonly<Record<string, string>>
  readonly status: JobStatus
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** The time of its first start. */
  readonly startedAt?: number
  readonly finishedAt?: number
  /** The number of starts since it last made progress, without those that ended with a release. */
  readonly starts: number
  /** True if its cancellation was requested while it was running. */
  readonly isCancelling: boolean
  /** The next stage, if workers of single stages have done the earlier ones. Absent if the job begins with the first stage. */
  readonly nextStage?: JobStage
  /** The key of its run, as soon as that is known. */
  readonly run?: string
  readonly result?: JsonObject
  readonly error?: string
  /** The number of attempts to deliver the webhook. `done` is set after success, or after the last attempt. */
  readonly webhookAttempts?: number
}

/** An event in the course of a job. */
export interface JobEvent {
  /** Grows by one within a job, from 1. */
  readonly id: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly type: string
  readonly data: JsonObject
}

/** An event before the store numbers it. */
export type NewJobEvent = Pick<JobEvent, 'type' | 'data'>

/** The right to work on a job. It ends with the process that took it, or when that was silent for a minute. */
export interface JobLease {
  readonly job: Job
  /** The fencing token, which grows with every lease. Writes with an older token are rejected. */
  readonly token: number
}

/** The outcome of a job. */
export type JobOutcome =
  | { readonly status: 'completed'; readonly result: JsonObject }
  | { readonly status: 'failed'; readonly error: string; readonly result?: JsonObject }
  | { readonly status: 'cancelled'; readonly result?: JsonObject }

/** Limits on the jobs that a worker claims. */
export interface ClaimLimits {
  /** Maximum number of jobs of one group that run at the same time, over all workers. @default no limit */
  readonly perGroup?: number
  /** The maximum number of starts without progress, after which the job fails. @default 10 */
  readonly maxStarts?: number
  /** The stages that the worker runs. Jobs with another next stage wait for other workers. @default all */
  readonly stages?: readonly JobStage[]
  /** Ids of jobs that the caller leaves to others. */
  readonly skipped?: readonly string[]
  /** Called with the next job. If it returns false, the claim ends without a job. */
  readonly mayTake?: (job: Job) => boolean
  /** Called with the id of each damaged job, which is skipped until a repair. */
  readonly onDamaged?: (job: string) => void
}

/** Options of a job's return to the queue. */
export interface ReleaseOptions {
  readonly nextStage?: JobStage
  readonly why?: string
}

/** The number of queued jobs with one next stage. */
export interface WaitingJobs {
  readonly stage: JobStage
  readonly jobs: number
  /** The time when the oldest of them was submitted, in milliseconds since 1970. */
  readonly since: number
}

/** Selects jobs, and sets the size of a page. */
export interface JobQuery {
  readonly status?: JobStatus
  /** Only jobs that have all of these labels. */
  readonly labels?: Readonly<Record<string, string>>
  /** The id of the last job of the page before. */
  readonly after?: string
  readonly limit: number
}

/** Stores the jobs of a service, their events and their leases. */
export interface JobStore {
  /**
   * Adds a job with its first event (`queued`). Durable when it resolves.
   *
   * @returns the existing job, and `isNew: false`, if the idempotency key is known
   */
  submit(job: NewJob): Promise<{ readonly job: Job; readonly isNew: boolean }>
  find(id: string): Promise<Job | undefined>
  /** Newest first. */
  list(query: JobQuery): Promise<readonly Job[]>
  counts(): Promise<Readonly<Record<JobStatus, number>>>
  /** Returns the number of queued jobs before this one. */
  position(job: Job): Promise<number>
  /** Counts the queued jobs by next stage, in the order of stages. Stages without jobs are left out. */
  waiting(): Promise<readonly WaitingJobs[]>
  /** Lists the ids of queued jobs in queue order. */
  queue(limit: number): Promise<readonly string[]>
  /**
   * Claims the next job: a queued one, or a running one whose process is gone. The job becomes `running`, with a `started` event (`resumed` if it ran
   * before). A damaged job is skipped, so that other jobs do not wait for a repair.
   */
  claim(limits?: ClaimLimits): Promise<JobLease | undefined>
  /**
   * Appends events, and sets the run.
   *
   * @param options `progress`: sets `starts` back to 0
   * @returns false, without a change, if the lease is lost
   */
  append(
    lease: JobLease,
    events: readonly NewJobEvent[],
    options?: { readonly run?: string; readonly progress?: boolean },
  ): Promise<boolean>
  /** Ends a job. Its final event has the name of its status and the outcome as data. @returns false if the lease is lost */
  finish(lease: JobLease, outcome: JobOutcome): Promise<boolean>
  /**
   * Puts a job back to its old queue position (event `requeued`), for example because its worker shuts down. This start does not count in `starts`.
   * Closing the store puts back all jobs of the process, but their starts count, because a worker that does not release its job has failed.
   *
   * @param options `nextStage`: the job then waits for a worker that does this stage. `why`: the reason why its worker left it to others
   */
  release(lease: JobLease, options?: ReleaseOptions): Promise<boolean>
  /** Notes why a worker leaves a queued job to others (event `declined`). A reason that the job has already is not noted again. */
  decline(id: string, why: string): Promise<void>
  /** The reasons for which workers left a queued job to others, oldest first and each once. */
  declines(id: string): Promise<readonly string[]>
  /**
   * Cancels a job. A queued job, or one whose worker is gone, ends at once. A running one is marked, and its worker
   * checks `isCancelling`.
   *
   * @returns the changed job, or undefined if there is none
   */
  cancel(id: string): Promise<Job | undefined>
  /** Events of a job with ids above `after`, oldest first. */
  events(id: string, after: number, limit: number): Promise<readonly JobEvent[]>
  /** Lists ended jobs with a pending webhook. */
  webhooksDue(limit: number): Promise<readonly Job[]>
  /** Records one attempt to deliver the webhook. */
  webhookTried(id: string, isDone: boolean): Promise<void>
  /**
   * Removes final jobs, oldest end first, until at most `keep` are left. Runs and results stay. Jobs with a pending webhook also stay, and do not
   * count in `keep`.
   */
  prune(keep: number): Promise<number>
}
