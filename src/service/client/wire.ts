/** Defines what the service sends and takes, from the schemas that it checks with. Fields have the names that they have on the wire. */
import type { z } from '@hono/zod-openapi'
import type { SampleKind } from '../../report/samples/sample-kinds.js'
import type { cancelledSchema, jobListSchema, jobSchema, submittedSchema } from '../http/job-info.js'
import type { healthSchema, queueSchema } from '../http/queue-routes.js'
import type {
  labelPageSchema,
  labelSchema,
  newLabelSchema,
  runTagsSchema,
  tagChangeSchema,
} from '../http/label-routes.js'
import type { modelInfoSchema, modelListSchema, taskInfoSchema, taskListSchema } from '../http/registry-routes.js'
import type { runInfoSchema, runListSchema, runSummarySchema, samplePageSchema } from '../http/run-routes.js'
import type { requestSchema } from '../jobs/job-request.js'

/** The keys of a configuration file, and `priority`, `labels` and `webhook`. */
export type EvaluateRequest = z.input<typeof requestSchema>
export type Submitted = z.output<typeof submittedSchema>
export type Job = z.output<typeof jobSchema>
export type JobStatus = Job['status']
export type JobList = z.output<typeof jobListSchema>
export type Cancelled = z.output<typeof cancelledSchema>
export type Health = z.output<typeof healthSchema>
export type Queue = z.output<typeof queueSchema>
export type TaskList = z.output<typeof taskListSchema>
export type TaskInfo = z.output<typeof taskInfoSchema>
export type ModelList = z.output<typeof modelListSchema>
export type ModelInfo = z.output<typeof modelInfoSchema>
export type RunSummary = z.output<typeof runSummarySchema>
export type RunList = z.output<typeof runListSchema>
export type RunInfo = z.output<typeof runInfoSchema>
export type SamplePage = z.output<typeof samplePageSchema>
export type Label = z.output<typeof labelSchema>
export type LabelPage = z.output<typeof labelPageSchema>
export type NewLabel = z.input<typeof newLabelSchema>
export type TagChange = z.input<typeof tagChangeSchema>
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
