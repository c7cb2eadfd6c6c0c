/** `/view/events`: what moves, while a page is open (server-sent events). */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { streamSSE } from 'hono/streaming'
import { readClientAddress, requireScope } from '../http/guards/access.js'
import { OpenStreams } from '../http/guards/open-streams.js'
import type { Service } from '../service.js'
import { LiveRuns } from './live-runs.js'
import type { Viewer } from './viewer.js'

/** The interval of comments that keep the connection open, in milliseconds. Proxies close idle connections. */
const heartbeatMs = 15_000
/** The maximum number of open streams of each client. */
const mostOfClient = 200

/** Adds the route that streams changes of runs to the pages. */
export function addEventRoute(app: OpenAPIHono, service: Service, { pages }: Viewer): void {
  const live = new LiveRuns(service, pages)
  const streams = new OpenStreams(mostOfClient)
  app.get('/view/events', context => {
    const client = requireScope(context, 'read').token ?? readClientAddress(context)
    const countEnd = streams.open(client)
    // Proxies must not collect the events.
    context.header('x-accel-buffering', 'no')
    return streamSSE(context, async stream => {
      const send = (event: string, data: unknown): void => {
        // The stream ends when its client disconnects.
        stream.writeSSE({ event, data: JSON.stringify(data) }).catch(() => undefined)
      }
      const end = live.subscribe({
        runs: moved => send('runs', moved),
        list: () => send('list', {}),
        jobs: () => send('jobs', {}),
      })
      const heartbeat = setInterval(() => {
        stream.write(': alive\n\n').catch(() => undefined)
      }, heartbeatMs)
      // Browsers take the connection for open when the first bytes arrive.
      await stream.write(': open\n\n')
      await new Promise<void>(resolve => {
        stream.onAbort(resolve)
        if (stream.aborted) resolve()
      })
      clearInterval(heartbeat)
      end()
      countEnd()
    })
  })
}
