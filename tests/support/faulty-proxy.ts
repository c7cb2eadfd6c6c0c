import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { without } from '../../base/values/without.js'
import type { S3Call, S3Fault } from './fake-s3.js'

/** A proxy in front of a real server of object storage. */
export interface FaultyProxy {
  readonly url: string
  readonly calls: S3Call[]
  /** Returns the fault of a call. Undefined: none. */
  fault: (call: S3Call) => S3Fault | undefined
  close(): Promise<void>
}

/** Starts a proxy that passes calls on as they are, signature and host included, and spoils some of the replies. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target)
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    fault: () => undefined,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const call = { method, target: decodeURIComponent(url.replace(/^\/[^/]*\/?/, '')), range: headers.range }
    proxy.calls.push(call)
    const fault = proxy.fault(call)
    const sent = await collect(request)
    if (fault?.type === 'status' || fault?.type === 'page')
      return void response.writeHead(fault.status).end('<html><p>Sorry<p></html>')
    const passed = sendRequest({ hostname, port, method, path: url, headers, agent: false })
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      passed.once('response', resolve)
      passed.once('error', reject)
      passed.end(sent)
    })
    const body = await collect(reply)
    if (fault?.type === 'lost-reply') return void response.destroy()
    if (fault?.type === 'flip' && body.length > 0) body[fault.at % body.length]! ^= 1
    response.writeHead(reply.statusCode ?? 500, {
      'content-length': body.length,
      ...without(reply.headers, 'transfer-encoding'),
    })
    if (fault?.type !== 'cut' || method === 'HEAD') return void response.end(body)
    response.write(body.subarray(0, fault.after), () => setTimeout(() => response.destroy(), 5))
  }

  return proxy
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces)
}
