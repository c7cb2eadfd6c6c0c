import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

/** A request as its bytes arrived at a socket. */
export interface RawRequest {
  readonly socket: Socket
  /** The request line and headers. */
  readonly head: string
  readonly body: string
  /** Number of the request, counted from 0 over all sockets. */
  readonly index: number
  /** Number of the socket, counted from 0. */
  readonly connection: number
}

export interface RawServer {
  /** Scheme, host and port, for all servers except those with TLS. */
  readonly url: string
  readonly port: number
  readonly seen: readonly RawRequest[]
  /** Returns the number of opened sockets. */
  connections(): number
  close(): Promise<void>
}

export interface RawServerOptions {
  /** Called for each complete request. It writes to the socket. */
  readonly reply: (request: RawRequest) => void
  /** Called instead when a socket opens. Nothing is read except what this function reads. */
  readonly connected?: (socket: Socket) => void
}

/** A server that sends exactly the given bytes, whether they are HTTP or not. */
export async function startRawServer({ reply, connected }: RawServerOptions): Promise<RawServer> {
  const seen: RawRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer(socket => {
    const connection = connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // Aborted connections are part of the test.
    socket.on('error', () => undefined)
    if (connected !== undefined) return connected(socket)
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      text += piece
      for (let found = cutRequest(text); found !== undefined; found = cutRequest(text)) {
        text = found.rest
        const request = { socket, head: found.head, body: found.body, index: seen.length, connection }
        seen.push(request)
        reply(request)
      }
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    connections: () => connections,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function cutRequest(text: string): { head: string; body: string; rest: string } | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
  const start = end + 4
  if (text.length < start + length) return undefined
  return { head, body: text.slice(start, start + length), rest: text.slice(start + length) }
}

/** Makes an HTTP/1.1 response. Unless given, the length is that of the body. */
export function rawAnswer(body: string | Buffer, headers: Record<string, string | number> = {}, status = '200 OK') {
  const bytes = Buffer.from(body)
  const all = { 'content-type': 'application/json', 'content-length': bytes.length, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`), bytes])
}
