/** Health and the queue, as lmms-eval's server tells them. */
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import type { Service } from '../service.js'
import { need } from './access.js'
import { refusals, RefusedError } from './problems.js'

/** Ids that `/queue` lists of each kind; all are at `/jobs?status=…`. */
const mostListed = 1000

export const healthSchema = z
  .object({ status: z.literal('healthy'), timestamp: z.string(), queue_size: z.int() })
  .openapi('HealthResponse')

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
    200: {
      description: 'The store can be read.',
      content: {
        'application/json': {
          schema: healthSchema,
        },
      },
    },
    ...refusals,
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

export function addQueueRoutes(app: OpenAPIHono, { store }: Service): void {
  app.openapi(health, async context => {
    const { queued } = await store.jobs.counts()
    return context.json({ status: 'healthy' as const, timestamp: new Date().toISOString(), queue_size: queued }, 200)
  })

  app.openapi(queue, async context => {
    need(context, 'read')
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
    need(context, 'admin')
    throw new RefusedError(501, 'this service evaluates models; merge checkpoints with the program that trained them')
  })
}
