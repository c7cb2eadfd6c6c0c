/** `pipeline/client`: a client of `pipeline serve` for Node and browsers. It needs nothing but `fetch`. */
export { ConnectionError, JobFailedError, JobTimeoutError, ServiceError } from './errors.js'
export { EvalClient } from './eval-client.js'
export type { EvaluateOptions, JobsQuery, SamplesQuery, WaitOptions } from './eval-client.js'
export type { EventOptions } from './events.js'
export type { ClientOptions, RequestOptions } from './transport.js'
export type {
  Cancelled,
  EvaluateRequest,
  Health,
  Job,
  JobEvent,
  JobStatus,
  JsonObject,
  ModelInfo,
  Queue,
  RunInfo,
  RunSummary,
  SampleKind,
  Submitted,
  TaskInfo,
} from './wire.js'
