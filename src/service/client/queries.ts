/** Options and filters of the client's calls. */
import type { RequestOptions } from './transport.js'
import type { JobStatus, SampleKind } from './wire.js'

/** Options for submitting a job. */
export interface EvaluateOptions extends RequestOptions {
  /** Submitting the same request with the same key again returns the first job, and another request is refused. @default a random key for each call, so that a retry cannot submit twice */
  readonly idempotencyKey?: string
  /** The time to wait for the end of the job, in seconds; at most 600. The answer then has `job`. */
  readonly waitSeconds?: number
}

/** Options for waiting until a job ends. */
export interface WaitOptions extends RequestOptions {
  /** The maximum time to wait, in milliseconds. @default no limit */
  readonly timeoutMs?: number
  /** Throw where the job ended as failed or cancelled. @default false */
  readonly throwOnFailure?: boolean
}

/** Selects jobs by state and labels, and sets the size of a page. */
export interface JobsQuery extends RequestOptions {
  readonly status?: JobStatus
  /** Only jobs that have all of these labels. */
  readonly labels?: Readonly<Record<string, string>>
  /** Jobs of one request to the service. @default 100 */
  readonly pageSize?: number
}

/** Selects samples by kind and task, and sets the size of a page. */
export interface SamplesQuery extends RequestOptions {
  /** The kind of samples. @default 'all' */
  readonly only?: SampleKind
  /** The run that `flipped`, `improved` and `worsened` compare with. */
  readonly against?: string
  readonly task?: string
  /** Ids or patterns, with commas between. */
  readonly docs?: string
  /** `FIELD=VALUE` of a breakdown or of the row. */
  readonly where?: readonly string[]
  /** Conditions on a metric, such as `acc<1`. */
  readonly score?: readonly string[]
  /** A regular expression that an answer contains. */
  readonly answer?: string
  /** Samples of one request to the service. @default 100 */
  readonly pageSize?: number
}

/** Selects labels by run, and sets the size of a page. */
export interface LabelsQuery extends RequestOptions {
  /** Only labels of answers in this run: a name, an id, or `last`. */
  readonly run?: string
  /** Labels of one request to the service. @default 100 */
  readonly pageSize?: number
}
