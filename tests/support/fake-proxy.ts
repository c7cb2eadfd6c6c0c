import { createServer, request as forward } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { without } from '../../base/values/without.js'

/** A request to the proxy: method, target and credentials. */
export interface ProxyCall {
  readonly target: string
  readonly login: string | undefined
  readonly host: string | undefined
}

export interface FakeProxy {
  /** Host and port. */
  readonly host: string
  readonly calls: readonly ProxyCall[]
  close(): Promise<void>
}

/**
 * An HTTP proxy on a real socket. It tunnels, and forwards requests with an absolute address.
 *
 * @param hosts addresses of names that only the proxy can resolve
 * @param status a reply to every request instead
 */
export async function startFakeProxy({
  hosts = {},
  status,
}: { readonly hosts?: Readonly<Record<string, string>>; readonly status?: number } = {}): Promise<FakeProxy> {
  const calls: ProxyCall[] = []
  const sockets = new Set<Socket>()
  const placeOf = (host: string): URL => new URL(`http://${hosts[host] ?? host}`)
  const server = createServer((asked, answer) => {
    const { method, url = '', headers } = asked
    calls.push({ target: `${method} ${url}`, login: headers['proxy-authorization'], host: headers.host })
    if (status !== undefined) return void answer.writeHead(status).end('{}')
    const { host, pathname, search } = new URL(url)
    const { hostname, port } = placeOf(host)
    const passed = without(headers, 'proxy-authorization')
    const further = forward({ hostname, port, method, path: pathname + search, headers: passed }, reply => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(answer)
    })
    asked.pipe(further)
  })
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    calls.push({ target: `CONNECT ${url}`, login: headers['proxy-authorization'], host: headers.host })
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
    const { hostname, port } = placeOf(url)
    const further = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(further).pipe(socket)
    })
    for (const one of [socket, further]) {
      sockets.add(one)
      one.on('error', () => undefined)
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
        for (const socket of sockets) socket.destroy()
      }),
  }
}
