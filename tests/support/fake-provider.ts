import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The reply to one request: a body with its status, or a broken connection. */
export type Reply =
  | 'reset'
  | 'truncated'
  | 'stall'
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }

export interface ProviderRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

export interface FakeProvider {
  /** Scheme, host and port. */
  readonly url: string
  readonly seen: readonly ProviderRequest[]
  close(): Promise<void>
}

/** A server on a real socket that records requests and replies as configured. */
export async function startFakeProvider(
  reply: (request: ProviderRequest, index: number) => Reply,
): Promise<FakeProvider> {
  const seen: ProviderRequest[] = []
  const server = createServer((request, response) => {
    // An incomplete request was aborted and does not count.
    void readJson(request).then(
      body => {
        const { method = '', url: path = '', headers } = request
        const one = { method, path, headers, body }
        seen.push(one)
        answer(response, reply(one, seen.length - 1))
      },
      () => undefined,
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? undefined : JSON.parse(text)
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === 'stall') return
  if (reply === 'reset') return void response.socket?.resetAndDestroy()
  if (reply === 'truncated') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
    response.write('{"content": [', () => response.socket?.destroy())
    return
  }
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...reply.headers }
  response.writeHead(reply.status ?? 200, headers).end(text)
}
