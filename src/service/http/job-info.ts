/** Makes the JSON of a job: the fields of lmms-eval's `JobInfo`, and further ones. */
import { z } from '@hono/zod-openapi'
import type { Job, JobStatus } from '../../../cache/store.js'
import { describeAwaitedWorker } from '../../reading/workers/awaited-worker.js'
import { nextCursor } from './json.js'
import { requestJsonSchema } from '../jobs/job-request.js'

/** The states of a job, in the words of the API. */
export const statuses = [
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
] as const satisfies readonly JobStatus[]

const time = z.string().openapi({ format: 'date-time' })
const anyObject = z.record(z.string(), z.unknown())

/** The body of `POST /evaluate`. The handler checks it with the schemas of the command line, whose messages are more precise. */
export const requestSchema = anyObject.openapi('EvaluateRequest', {
  ...requestJsonSchema(),
  example: { model: 'openai', model_args: { model: 'gpt-4.1-mini' }, tasks: ['mmmu_val'], limit: 20 },
})

/** The JSON of a job with its progress and its results. */
export const jobSchema = z
  .object({
    job_id: z.uuid(),
    status: z.enum(statuses),
    created_at: time,
    started_at: time.nullable(),
    completed_at: time.nullable(),
    request: anyObject.openapi({ description: 'as it was submitted' }),
    result: anyObject.nullable().openapi({
      description: 'the results JSON of the run; of a failed job, what there is of it; of an analysis, its JSON',
    }),
    error: z.string().nullable(),
    position_in_queue: z.int().nullable(),
    run: z.string().nullable().openapi({ description: 'the id of the run' }),
    waiting_for: z.string().nullable().openapi({
      description:
        'the worker that the job waits for where other workers did the stages before, such as "a worker with the judge stage"',
    }),
    declined_because: z.array(z.string()).openapi({
      description: 'of a queued job: why workers left it to others, each reason once. Another worker may still take it',
    }),
    cancelling: z.boolean(),
    priority: z.int(),
    labels: z.record(z.string(), z.string()),
  })
  .openapi('JobInfo')

/** The JSON that answers a new job. */
export const submittedSchema = z
  .object({
    job_id: z.uuid(),
    status: z.enum(statuses),
    position_in_queue: z.int(),
    message: z.string(),
    job: jobSchema.optional().openapi({ description: 'with Prefer: wait, the job after the wait' }),
  })
  .openapi('JobSubmitResponse')

/** A job in a list: `GET /jobs/{job_id}` has its result, which may be large. */
export const jobSummarySchema = jobSchema.omit({ result: true }).openapi('JobSummary')

/** The JSON of one page of jobs. */
export const jobListSchema = z.object({ jobs: z.array(jobSummarySchema), next_cursor: nextCursor }).openapi('JobList')

/** The JSON that answers a cancellation. */
export const cancelledSchema = z.object({ message: z.string() }).openapi('CancelResponse')

const isoTime = (ms: number): string => new Date(ms).toISOString()

/** Converts a stored job to the JSON of the API. */
export const jobInfo = (
  job: Job,
  { position, declines = [] }: { readonly position?: number; readonly declines?: readonly string[] } = {},
): z.output<typeof jobSchema> => ({
  job_id: job.id,
  status: job.status,
  created_at: isoTime(job.createdAt),
  started_at: job.startedAt === undefined ? null : isoTime(job.startedAt),
  completed_at: job.finishedAt === undefined ? null : isoTime(job.finishedAt),
  request: job.request,
  result: job.result ?? null,
  error: job.error ?? null,
  position_in_queue: position ?? null,
  run: job.run ?? null,
  waiting_for: describeAwaitedWorker(job) ?? null,
  declined_because: [...declines],
  cancelling: job.isCancelling,
  priority: job.priority,
  labels: job.labels,
})

/** Tells whether nothing more happens to a job. */
export const isFinal = ({ status }: Job): boolean => status !== 'queued' && status !== 'running'
