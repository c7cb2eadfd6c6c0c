import type { JsonObject } from '../records.js'

/** `queued` and `running` are open; the others are final. */
export type JobStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'

/** The stages of a job, in the order in which its workers do them. */
export const jobStages = ['input', 'model', 'judge'] as const
export type JobStage = (typeof jobStages)[number]

/** A job that a service was asked to do. The store does not read `request`. */
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
  /** An address that is told when the job ends. */
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
  /** The stage that comes next, where workers of some stages did those before it. Absent if the job begins with the first one. */
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
  /** Grows with every lease given. Writes with an older one are refused. */
  readonly token: number
}

/** Says how a job ends. */
export type JobOutcome =
  | { readonly status: 'completed'; readonly result: JsonObject }
  | { readonly status: 'failed'; readonly error: string; readonly result?: JsonObject }
  | { readonly status: 'cancelled'; readonly result?: JsonObject }

/** Limits on the jobs that a worker claims. */
export interface ClaimLimits {
  /** Maximum number of jobs of one group that run at the same time, over all workers. @default no limit */
  readonly perGroup?: number
  /** A job that was started this often without progress fails instead of being started again. @default 10 */
  readonly maxStarts?: number
  /** The stages that the worker does. Jobs whose next stage is another one wait for other workers. @default all */
  readonly stages?: readonly JobStage[]
  /** Ids of jobs that the caller leaves to others. */
  readonly skipped?: readonly string[]
  /** Is asked about the job that is next. If it returns false, the claim ends without a job. */
  readonly mayTake?: (job: Job) => boolean
  /** Is called with the id of each damaged job that was skipped. Such a job stays as it is until a repair. */
  readonly onDamaged?: (job: string) => void
}

/** Says how a job goes back into the queue. */
export interface ReleaseOptions {
  readonly nextStage?: JobStage
  readonly why?: string
}

/** The queued jobs whose next stage is the same. */
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
  /** The number of queued jobs that are given out before this one. */
  position(job: Job): Promise<number>
  /** Counts the queued jobs by the stage that comes next, in the order of stages. Stages without jobs are left out. */
  waiting(): Promise<readonly WaitingJobs[]>
  /** Ids of queued jobs in the order in which they are given out. */
  queue(limit: number): Promise<readonly string[]>
  /**
   * Takes the next job: one that is queued, or a running one whose process is gone. It becomes `running`, with a
   * `started` event (`resumed` if it ran before). A damaged job is skipped, so that the others do not wait for a repair.
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
   * Puts a job back into its old place in the queue (event `requeued`), for example because its worker shuts down. The
   * start that ends this way does not count in `starts`. Closing the store puts back all jobs of its process, but their
   * starts count: a worker that closes the store without releasing its job has failed.
   *
   * @param options `nextStage`: the job then waits for a worker that does this stage. `why`: why its worker left it to others
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
  /** Jobs that ended and whose webhook is neither delivered nor given up. */
  webhooksDue(limit: number): Promise<readonly Job[]>
  /** Records one attempt to deliver the webhook. */
  webhookTried(id: string, isDone: boolean): Promise<void>
  /**
   * Removes final jobs, oldest first by the time of their end, until at most `keep` are left. Runs and results stay.
   * Jobs whose webhook is due stay, too, and do not count in `keep`.
   */
  prune(keep: number): Promise<number>
}
