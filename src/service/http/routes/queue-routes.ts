/** Health and the queue, as lmms-eval's server tells them. */
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { readHealth } from '../../health.js'
import type { Service } from '../../service.js'
import { requireScope } from '../guards/access.js'
import { problemSchema, refusals, RefusedError } from '../problems.js'

/** Ids that `/queue` lists of each kind; all are at `/jobs?status=…`. */
const mostListed = 1000

/** The JSON of a health check. */
export const healthSchema = z
  .object({
    status: z.enum(['healthy', 'degraded', 'unhealthy']).openapi({
      description:
        '`degraded`: it works, and somebody should look. `unhealthy` (status 503): jobs are not taken, or not done.',
    }),
    timestamp: z.string(),
    queue_size: z.int(),
    running_jobs: z.int(),
    oldest_queued_seconds: z.number().nullable().openapi({ description: 'since the oldest queued job was submitted' }),
    workers: z.object({ size: z.int(), busy: z.int(), deaths: z.int() }),
    disk_free_bytes: z.number().nullable(),
    problems: z.array(z.string()),
  })
  .openapi('HealthResponse')

/** The JSON of the queue: waiting and running jobs. */
export const queueSchema = z
  .object({
    queue_size: z.int(),
    running_job: z.string().nullable().openapi({ description: 'the first of `running_jobs`' }),
    running_jobs: z.array(z.string()),
    queued_jobs: z.array(z.string()),
    completed_jobs: z.int(),
    failed_jobs: z.int(),
    cancelled_jobs: z.int(),
  })
  .openapi('QueueStatusResponse')

const health = createRoute({
  method: 'get',
  path: '/health',
  summary: 'Whether the service works',
  description: 'Needs no token.',
  responses: {
    ...refusals,
    200: { description: 'The service works.', content: { 'application/json': { schema: healthSchema } } },
    503: {
      description: 'The service does not work.',
      content: { 'application/json': { schema: z.union([healthSchema, problemSchema]) } },
    },
  },
})

const queue = createRoute({
  method: 'get',
  path: '/queue',
  summary: 'What runs and what waits',
  responses: {
    200: {
      description: 'The queue in the order in which jobs start.',
      content: {
        'application/json': {
          schema: queueSchema,
        },
      },
    },
    ...refusals,
  },
})

const merge = createRoute({
  method: 'post',
  path: '/merge',
  summary: 'Not available',
  description:
    'lmms-eval merges checkpoints of its trainer here. This service evaluates models and does not change them.',
  responses: refusals,
})

/** Adds the routes of health, queue and metrics. */
export function addQueueRoutes(app: OpenAPIHono, service: Service): void {
  const { store } = service

  app.openapi(health, async context => {
    const { status, problems, queued, running, oldestQueuedSeconds, workers, diskFreeBytes } = await readHealth(service)
    const body = {
      status,
      timestamp: new Date().toISOString(),
      queue_size: queued,
      running_jobs: running,
      oldest_queued_seconds: oldestQueuedSeconds ?? null,
      workers: { size: workers.size, busy: workers.busy, deaths: workers.deaths },
      disk_free_bytes: diskFreeBytes ?? null,
      problems: [...problems],
    }
    if (status !== 'unhealthy') return context.json(body, 200)
    context.header('retry-after', '5')
    return context.json(body, 503)
  })

  app.openapi(queue, async context => {
    requireScope(context, 'read')
    const counts = await store.jobs.counts()
    const running = await store.jobs.list({ status: 'running', limit: mostListed })
    const ids = running.map(({ id }) => id).reverse()
    return context.json(
      {
        queue_size: counts.queued,
        running_job: ids[0] ?? null,
        running_jobs: ids,
        queued_jobs: [...(await store.jobs.queue(mostListed))],
        completed_jobs: counts.completed,
        failed_jobs: counts.failed,
        cancelled_jobs: counts.cancelled,
      },
      200,
    )
  })

  app.openapi(merge, context => {
    requireScope(context, 'admin')
    throw new RefusedError(501, 'this service evaluates models; merge checkpoints with the program that trained them')
  })
}
