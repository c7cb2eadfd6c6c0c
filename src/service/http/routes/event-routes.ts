/** Streams the events of a job (server-sent events), from where the client left off. */
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { streamSSE, type SSEStreamingApi } from 'hono/streaming'
import type { Service } from '../../service.js'
import { readClientAddress, requireScope } from '../guards/access.js'
import { OpenStreams } from '../guards/open-streams.js'
import { isFinal } from '../job-info.js'
import { idParam, noJob } from './job-routes.js'
import { RefusedError, refusals } from '../problems.js'

/** The number of events that one query reads. */
const pageSize = 200
/** The interval of comments that keep the connection open, in milliseconds. Proxies close idle connections. */
const heartbeatMs = 15_000
/** The maximum number of open streams of each client. */
const mostOfClient = 500

const events = createRoute({
  method: 'get',
  path: '/jobs/{job_id}/events',
  summary: 'Events of a job, live',
  description:
    'Server-sent events with ids from 1: `queued`, `started`, `run`, `progress`, `note`, `requeued`, `resumed`, and last `completed`, `failed` or `cancelled`. The stream ends after the last one. A client that sends `Last-Event-ID` gets every event after it exactly once.',
  request: {
    params: idParam,
    headers: z.object({ 'last-event-id': z.string().max(20).optional() }),
  },
  responses: {
    200: { description: 'The events.', content: { 'text/event-stream': { schema: z.string() } } },
    ...refusals,
  },
})

/** Adds the route that streams a job's events. */
export function addEventRoutes(app: OpenAPIHono, service: Service): void {
  const streams = new OpenStreams(mostOfClient)
  app.openapi(events, async context => {
    const client = requireScope(context, 'read').token ?? readClientAddress(context)
    const { job_id: id } = context.req.valid('param')
    const last = context.req.valid('header')['last-event-id']
    if (last !== undefined && !/^\d{1,15}$/.test(last)) throw new RefusedError(422, 'last-event-id: expected a number')
    if ((await service.store.jobs.find(id)) === undefined) throw noJob()
    const countEnd = streams.open(client)
    // Proxies must not buffer the events.
    context.header('x-accel-buffering', 'no')
    return streamSSE(context, async stream => {
      const ended = new AbortController()
      stream.onAbort(() => {
        ended.abort()
      })
      try {
        await follow(service, { id, after: Number(last ?? 0) }, { stream, signal: ended.signal })
      } finally {
        countEnd()
      }
    })
  })
}

async function follow(
  service: Service,
  { id, after }: { readonly id: string; readonly after: number },
  { stream, signal }: { readonly stream: SSEStreamingApi; readonly signal: AbortSignal },
): Promise<void> {
  let lastId = after
  let spokenAt = performance.now()
  while (!signal.aborted) {
    // The state is read first: the events of a final job are complete.
    const job = await service.store.jobs.find(id)
    const page = await service.store.jobs.events(id, lastId, pageSize)
    for (const event of page) {
      await stream.writeSSE({
        id: String(event.id),
        event: event.type,
        data: JSON.stringify({ at: event.at, ...event.data }),
      })
      lastId = event.id
      spokenAt = performance.now()
    }
    if (page.length === pageSize) continue
    if (job === undefined || isFinal(job)) return
    await service.changes.next(Math.max(0, spokenAt + heartbeatMs - performance.now()), signal)
    if (performance.now() - spokenAt < heartbeatMs) continue
    await stream.write(': alive\n\n')
    spokenAt = performance.now()
  }
}
