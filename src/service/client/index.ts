/** `pipeline/client`: a client of `pipeline serve` for Node and browsers. It needs nothing but `fetch`. */
export { ConnectionError, JobFailedError, JobTimeoutError, ServiceError } from './errors.js'
export { EvalClient } from './eval-client.js'
export type { EvaluateOptions, JobsQuery, LabelsQuery, SamplesQuery, WaitOptions } from './queries.js'
export type { EventOptions } from './events.js'
export type { ClientOptions, RequestOptions } from './transport.js'
export type {
  AnalysisRequests,
  Cancelled,
  EvaluateRequest,
  Health,
  Job,
  JobSummary,
  JobEvent,
  JobStatus,
  JsonObject,
  Label,
  ModelInfo,
  NewLabel,
  Queue,
  RunInfo,
  RunSummary,
  SampleKind,
  Submitted,
  TagChange,
  TaskInfo,
} from './wire.js'
