/** An HTTP server that answers each request with the next step of a script. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { EvalClient } from '../../../../src/service/client/index.js'

export interface Received {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Step = (response: ServerResponse, received: Received) => void

/** The last step is repeated. */
export async function scriptedService(...steps: readonly [Step, ...Step[]]): Promise<{
  readonly url: string
  readonly client: EvalClient
  readonly received: readonly Received[]
}> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      const one = { line: `${request.method ?? ''} ${request.url ?? ''}`, headers: request.headers, body }
      const step = steps[Math.min(received.length, steps.length - 1)] ?? steps[0]
      received.push(one)
      step(response, one)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, client: new EvalClient({ baseUrl: url, retryDelayMs: 1, maxRetries: 4, timeoutMs: 5000 }), received }
}

export const answer =
  (json: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Step =>
  response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json))
  }

/** Closes the connection without an answer. */
export const drop: Step = response => {
  response.destroy()
}

/** Sends a part of a stream of events, and ends it or cuts the connection. */
export const stream =
  (text: string, end: 'end' | 'cut' | 'silence' = 'end'): Step =>
  response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(text, () => {
      if (end === 'end') response.end()
      if (end === 'cut') response.destroy()
    })
  }

export const event = (id: number, type = 'progress'): string =>
  `id: ${id}\nevent: ${type}\ndata: {"at":${1000 + id},"n":${id}}\n\n`
