/** Derives the types of requests and responses from the service's schemas. Fields have their names on the wire. */
import type { z } from '@hono/zod-openapi'
import type { SampleKind } from '../../reading/samples/sample-kinds.js'
import type { cancelledSchema, jobListSchema, jobSchema, jobSummarySchema, submittedSchema } from '../http/job-info.js'
import type { healthSchema, queueSchema } from '../http/routes/queue-routes.js'
import type {
  labelPageSchema,
  labelSchema,
  newLabelSchema,
  runTagsSchema,
  tagChangeSchema,
} from '../http/routes/label-routes.js'
import type {
  modelInfoSchema,
  modelListSchema,
  taskInfoSchema,
  taskListSchema,
} from '../http/routes/registry-routes.js'
import type { runInfoSchema, runListSchema, runSummarySchema, samplePageSchema } from '../http/routes/run-routes.js'
import type { analysisBodies } from '../jobs/analysis/analysis.js'
import type { requestSchema } from '../jobs/job-request.js'

/** The keys of a configuration file, and `priority`, `labels` and `webhook`. */
export type EvaluateRequest = z.input<typeof requestSchema>
/** The requests for analyses of stored runs, by kind. */
export type AnalysisRequests = {
  readonly [Kind in keyof typeof analysisBodies]: z.input<(typeof analysisBodies)[Kind]>
}
/** The service's answer to a new job. */
export type Submitted = z.output<typeof submittedSchema>
/** A job with its progress and its results. */
export type Job = z.output<typeof jobSchema>
/** The states of a job. */
export type JobStatus = Job['status']
/** A job as a row of a list. */
export type JobSummary = z.output<typeof jobSummarySchema>
/** One page of jobs, and the cursor of the next. */
export type JobList = z.output<typeof jobListSchema>
/** The service's answer to the cancellation of a job. */
export type Cancelled = z.output<typeof cancelledSchema>
/** The health of a service, with its problems. */
export type Health = z.output<typeof healthSchema>
/** The queued and the running jobs of a service. */
export type Queue = z.output<typeof queueSchema>
/** The names of all tasks that a service knows. */
export type TaskList = z.output<typeof taskListSchema>
/** The description of one task. */
export type TaskInfo = z.output<typeof taskInfoSchema>
/** The names of all backends that a service knows. */
export type ModelList = z.output<typeof modelListSchema>
/** The description of one backend with its arguments. */
export type ModelInfo = z.output<typeof modelInfoSchema>
/** A run as a row of a list. */
export type RunSummary = z.output<typeof runSummarySchema>
/** One page of runs, and the cursor of the next. */
export type RunList = z.output<typeof runListSchema>
/** A run with its counts and scores. */
export type RunInfo = z.output<typeof runInfoSchema>
/** One page of samples, and the cursor of the next. */
export type SamplePage = z.output<typeof samplePageSchema>
/** A stored label of an answer. */
export type Label = z.output<typeof labelSchema>
/** One page of labels, and the cursor of the next. */
export type LabelPage = z.output<typeof labelPageSchema>
/** A label to store. */
export type NewLabel = z.input<typeof newLabelSchema>
/** Tags to add to a run and to remove from it. */
export type TagChange = z.input<typeof tagChangeSchema>
/** The tags of a run. */
export type RunTags = z.output<typeof runTagsSchema>
export type { SampleKind }

/** A sample, a results JSON or a comparison. */
export type JsonObject = Readonly<Record<string, unknown>>

/** An event of a job. */
export interface JobEvent {
  /** Grows by one within a job, from 1. */
  readonly id: number
  /** `queued`, `started`, `run`, `progress`, `note`, `requeued`, `resumed`, and last `completed`, `failed` or `cancelled`. */
  readonly type: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly data: JsonObject
}

/** Tells whether nothing more happens to a job. Events of these types are the last of a job. */
export const isFinal = (status: string): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'
