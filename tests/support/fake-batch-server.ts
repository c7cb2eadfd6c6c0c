import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received call. */
export interface BatchCall {
  /** The method and path without the query, such as `POST /v1/batches`. */
  readonly name: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export interface BatchReply {
  readonly status?: number
  readonly headers?: Record<string, string>
  /** The body. A text is sent unchanged. */
  readonly body: unknown
}

/** What a test does to a call: before it takes effect, or before its result is sent. `drop` breaks the connection there. */
export interface Interference {
  readonly arriving?: (call: BatchCall) => 'drop' | BatchReply | Promise<void> | undefined
  readonly leaving?: (call: BatchCall) => 'drop' | Promise<void> | undefined
  /** Replaces the body of an answer. */
  readonly replacing?: (call: BatchCall, body: unknown) => unknown
  /** Called when three quarters of the answer are sent. */
  readonly amid?: (call: BatchCall) => Promise<void> | undefined
}

/** The parts that all fake batch providers share. */
export interface FakeBatchServer {
  /** Scheme, host and port. */
  readonly url: string
  readonly calls: readonly BatchCall[]
  /** How often each request was billed, by the digest of its body. */
  readonly billed: ReadonlyMap<string, number>
  interference: Interference
  close(): Promise<void>
}

/** Returns the digest of a JSON value, independent of its white space. */
export const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** Starts a server on a real socket. */
export async function startBatchServer(
  reply: (call: BatchCall) => BatchReply,
  billed: ReadonlyMap<string, number>,
): Promise<FakeBatchServer> {
  const calls: BatchCall[] = []
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => void response.destroy())
  })
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const name = `${request.method} ${pathname}`
    const { headers } = request
    const call = { name, path: pathname, query: searchParams, headers, body: Buffer.concat(chunks) }
    const before = await fake.interference.arriving?.(call)
    if (before === 'drop') return void response.destroy()
    calls.push(call)
    const answer = before ?? reply(call)
    if ((await fake.interference.leaving?.(call)) === 'drop') return void response.destroy()
    const body = fake.interference.replacing?.(call, answer.body) ?? answer.body
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
    const waiting = fake.interference.amid?.(call)
    const most = waiting === undefined ? 0 : Math.floor(text.length * 0.75)
    response.write(text.slice(0, most))
    await waiting
    response.end(text.slice(most))
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeBatchServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    billed,
    interference: {},
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return fake
}

/** Returns a page of a list, the newest first, after the entry with this id. */
export function pageOf<T extends { readonly id: string }>(
  newestFirst: readonly T[],
  { after, limit }: { readonly after: string | null; readonly limit: string | null },
): {
  readonly data: readonly T[]
  readonly has_more: boolean
  readonly first_id: string | null
  readonly last_id: string | null
} {
  const from = after === null ? 0 : newestFirst.findIndex(({ id }) => id === after) + 1
  const data = newestFirst.slice(from, from + Number(limit ?? 20))
  return {
    data,
    has_more: from + data.length < newestFirst.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}
