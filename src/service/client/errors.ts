/** Defines the errors that the methods of the client throw. */
import type { Job } from './wire.js'

/** The service refused a request. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  /** The HTTP status. */
  readonly status: number
  /** All mistakes, one text each. */
  readonly problems: readonly string[]
  /** The time that the service asks to wait before the next attempt. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, problems: readonly string[], retryAfterMs?: number) {
    super(`${status}: ${problems.join('; ')}`)
    this.status = status
    this.problems = problems
    this.retryAfterMs = retryAfterMs
  }
}

/** The service could not be reached, or the connection was lost before the answer was complete. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** A job ended as failed or cancelled. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError'
  readonly job: Job

  constructor(job: Job) {
    super(`job ${job.job_id} ${job.status}${job.error === null ? '' : `: ${job.error}`}`)
    this.job = job
  }
}

/** The job did not end in time. It is still running. */
export class JobTimeoutError extends Error {
  override readonly name = 'JobTimeoutError'
}
