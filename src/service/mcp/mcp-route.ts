/** `/mcp`: the tools over streamable HTTP, behind the guards of the server. Each request stands alone, so that no session can be lost or stolen. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { requireScope } from '../http/guards/access.js'
import { RefusedError } from '../http/problems.js'
import type { Service } from '../service.js'

/** Calls that are answered at the same time, over all clients. Most of them wait for an evaluation. */
const mostCalls = 1000

/** Adds the route on which agents call tools over HTTP. */
export function addMcpRoute(app: OpenAPIHono, service: Service): void {
  let calls = 0
  app.post('/mcp', async context => {
    const caller = requireScope(context, 'read')
    const body = await parseBody(context.req.raw)
    // Most servers never need the protocol.
    const { agentServer } = await import('./agent-server.js')
    const { WebStandardStreamableHTTPServerTransport } =
      await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js')
    if (calls >= mostCalls) throw new RefusedError(503, 'too many calls are open', { 'retry-after': '5' })
    calls += 1
    const { signal } = context.req.raw
    const server = agentServer(service, caller)
    const end = (): void => void server.close()
    server.server.onclose = () => {
      calls -= 1
      signal.removeEventListener('abort', end)
    }
    // A disconnected client's wait ends. Its evaluation continues.
    signal.addEventListener('abort', end, { once: true })
    const transport = new WebStandardStreamableHTTPServerTransport()
    await server.connect(transport)
    // Proxies must not collect the events.
    context.header('x-accel-buffering', 'no')
    return endingWith(await transport.handleRequest(context.req.raw, { parsedBody: body }), end)
  })

  app.all('/mcp', context => {
    requireScope(context, 'read')
    throw new RefusedError(405, 'this server has no sessions: send each message as POST', { allow: 'POST' })
  })
}

async function parseBody(request: Request): Promise<unknown> {
  const body: unknown = await request.json().catch(() => {
    throw new RefusedError(400, 'the body is not JSON')
  })
  // A batch would make many calls pass the limit of requests as one.
  if (Array.isArray(body)) throw new RefusedError(400, 'send one message at a time, not a batch')
  return body
}

/** Calls `end` when the body of a response has been sent, or nobody reads it any more. */
function endingWith(response: Response, end: () => void): Response {
  if (response.body === null) {
    end()
    return response
  }
  const body = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ flush: end }))
  return new Response(body, { status: response.status, headers: response.headers })
}
