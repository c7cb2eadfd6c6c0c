/** Routes that submit, read, await and cancel jobs. */
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { without } from '../../../../base/values/without.js'
import type { Job } from '../../../../cache/store.js'
import { cancelJob, QueueFullError, submitJob, waitForJob } from '../../jobs/job-service.js'
import type { Service } from '../../service.js'
import { requireScope } from '../guards/access.js'
import {
  cancelledSchema,
  isFinal,
  jobInfo,
  jobListSchema,
  jobSchema,
  requestSchema,
  statuses,
  submittedSchema,
} from '../job-info.js'
import { cursor } from '../json.js'
import { RefusedError, refusals } from '../problems.js'

const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})

const prefer = z
  .string()
  .max(200)
  .optional()
  .openapi({ description: '`wait=SECONDS`: answer when the job has ended, or after this time', example: 'wait=30' })

/** The path parameter that holds a job's id. */
export const idParam = z.object({
  job_id: z
    .string()
    .max(100)
    .openapi({ param: { name: 'job_id', in: 'path' } }),
})

/** The headers of every request that submits a job. */
export const submitHeaders = z.object({
  'idempotency-key': z.string().min(1).max(200).optional().openapi({
    description:
      'submitting the same request with the same key again returns the first job; another request with it is refused',
  }),
  prefer,
})

const submit = createRoute({
  method: 'post',
  path: '/evaluate',
  summary: 'Submit an evaluation',
  description: 'The body has the keys of a configuration file. The job is stored before the answer is sent.',
  request: {
    body: { required: true, content: { 'application/json': { schema: requestSchema } } },
    headers: submitHeaders,
  },
  responses: { 200: json(submittedSchema, 'The job is in the queue.'), ...refusals },
})

const show = createRoute({
  method: 'get',
  path: '/jobs/{job_id}',
  summary: 'A job with its result',
  request: { params: idParam, headers: z.object({ prefer }) },
  responses: { 200: json(jobSchema, 'The job.'), ...refusals },
})

const labelQuery = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .openapi({ description: '`name:value`; may be repeated', example: 'team:vision' })

const list = createRoute({
  method: 'get',
  path: '/jobs',
  summary: 'Jobs, newest first',
  request: {
    query: z.object({
      status: z.enum(statuses).optional(),
      label: labelQuery,
      cursor,
      limit: z.coerce.number().int().min(1).max(1000).default(100),
    }),
  },
  responses: {
    200: json(jobListSchema, 'A page of jobs.'),
    ...refusals,
  },
})

const cancel = createRoute({
  method: 'delete',
  path: '/jobs/{job_id}',
  summary: 'Cancel a job',
  description: 'A running job finishes its requests in flight; all answers are kept.',
  request: { params: idParam },
  responses: {
    200: json(cancelledSchema, 'It is cancelled, or will be.'),
    ...refusals,
  },
})

/** Adds the routes that submit, list, show and cancel jobs. */
export function addJobRoutes(app: OpenAPIHono, service: Service): void {
  const { jobs } = service.store
  const readJobInfo = (job: Job) => describeJob(service, job)

  app.openapi(submit, async context => {
    const caller = requireScope(context, 'submit')
    const headers = context.req.valid('header')
    const key = headers['idempotency-key']
    // The raw body is checked, because the schema's copy silently drops names such as `__proto__`.
    const body: unknown = await context.req.json()
    const { job } = await refusingFullQueue(() =>
      submitJob(service, {
        body,
        ...(key !== undefined && { idempotencyKey: `${caller.token ?? ''}/${key}` }),
        ...(caller.token !== undefined && { submitter: caller.token }),
      }),
    )
    return context.json(await describeSubmitted(service, job, context), 200)
  })

  app.openapi(show, async context => {
    requireScope(context, 'read')
    const { job_id: id } = context.req.valid('param')
    const seconds = waitSeconds(context.req.valid('header').prefer)
    const job =
      seconds === undefined
        ? await jobs.find(id)
        : await waitForJob(service, id, { ms: seconds * 1000, signal: context.req.raw.signal })
    if (job === undefined) throw noJob()
    return context.json(await readJobInfo(job), 200)
  })

  app.openapi(list, async context => {
    requireScope(context, 'read')
    const { label, ...query } = context.req.valid('query')
    if (query.cursor !== undefined && (await jobs.find(query.cursor)) === undefined)
      throw new RefusedError(404, 'cursor: the job that it names was removed; begin with the first page')
    const listedJobs = await jobs.list({
      limit: query.limit,
      labels: labelsIn(label),
      ...(query.status !== undefined && { status: query.status }),
      ...(query.cursor !== undefined && { after: query.cursor }),
    })
    const next = listedJobs.length === query.limit ? (listedJobs.at(-1)?.id ?? null) : null
    const infos = await Promise.all(listedJobs.map(readJobInfo))
    return context.json({ jobs: infos.map(info => without(info, 'result')), next_cursor: next }, 200)
  })

  app.openapi(cancel, async context => {
    const caller = requireScope(context, 'submit')
    const { job_id: id } = context.req.valid('param')
    const job = await jobs.find(id)
    if (job === undefined) throw noJob()
    if (caller.scope !== 'admin' && job.submitter !== caller.token)
      throw new RefusedError(403, 'only who submitted a job, or a token with scope "admin", can cancel it')
    if (isFinal(job)) throw new RefusedError(400, `job ${job.id} has ended already: ${job.status}`)
    const now = await cancelJob(service, id)
    const isOver = now?.status === 'cancelled'
    return context.json(
      { message: `Job ${id} ${isOver ? 'cancelled' : 'is being cancelled: requests in flight are finished'}` },
      200,
    )
  })
}

const describeJob = async ({ store }: Service, job: Job): Promise<z.output<typeof jobSchema>> =>
  job.status === 'queued'
    ? jobInfo(job, { position: await store.jobs.position(job), declines: await store.jobs.declines(job.id) })
    : jobInfo(job)

/** Describes a submitted job. With `Prefer: wait`, it first waits for the end of the job. */
export async function describeSubmitted(
  service: Service,
  job: Job,
  context: Context,
): Promise<z.output<typeof submittedSchema>> {
  const seconds = waitSeconds(context.req.header('prefer'))
  const queuePosition = job.status === 'queued' ? await service.store.jobs.position(job) : 0
  const base = {
    job_id: job.id,
    status: job.status,
    position_in_queue: queuePosition,
    message: `Job queued. Position in queue: ${queuePosition}`,
  }
  if (seconds === undefined) return base
  const ended = (await waitForJob(service, job.id, { ms: seconds * 1000, signal: context.req.raw.signal })) ?? job
  context.header('preference-applied', `wait=${seconds}`)
  return { ...base, status: ended.status, message: `Job ${ended.status}`, job: await describeJob(service, ended) }
}

/** Submits a job. @throws RefusedError (503) if the queue is full */
export async function refusingFullQueue<Result>(submitted: () => Promise<Result>): Promise<Result> {
  try {
    return await submitted()
  } catch (error) {
    if (error instanceof QueueFullError) throw new RefusedError(503, error.message, { 'retry-after': '10' })
    throw error
  }
}

/** Makes the 404 error for an unknown job id. */
export const noJob = (): RefusedError => new RefusedError(404, 'there is no such job')

/** Parses the seconds of `Prefer: wait=30`, at most ten minutes. */
function waitSeconds(header: string | undefined): number | undefined {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/.exec(header ?? '')?.[1]
  return seconds === undefined ? undefined : Math.min(Number(seconds), 600)
}

function labelsIn(labels: string | readonly string[] | undefined): Readonly<Record<string, string>> {
  const pairs = typeof labels === 'string' ? [labels] : (labels ?? [])
  if (pairs.length > 50) throw new RefusedError(422, 'label: at most 50 are accepted')
  return Object.fromEntries(
    pairs.map(pair => {
      const colon = pair.indexOf(':')
      if (colon < 1) throw new RefusedError(422, `label: expected name:value`)
      return [pair.slice(0, colon), pair.slice(colon + 1)]
    }),
  )
}
