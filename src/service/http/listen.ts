/** The HTTP server: limits of connections, and its end. */
import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import { createApp } from './app.js'
import { connectionLimits, limitConnections, type ConnectionLimits } from './guards/connection-limits.js'
import type { Service } from '../service.js'

/** Says where a server listens. */
export interface Listening {
  readonly host: string
  /** The port. The system chooses it if 0 was requested. */
  readonly port: number
  /** Stops taking requests. Event streams end, other requests are answered. */
  close(): Promise<void>
}

/** A client that takes longer than this to send its request is cut off, in milliseconds. */
const requestMs = 30_000
const headersMs = 10_000

/** @throws PipelineError (usage) if the address cannot be used */
export async function listen(
  service: Service,
  { host, port }: { readonly host: string; readonly port: number },
  limits: ConnectionLimits = connectionLimits,
): Promise<Listening> {
  const app = createApp(service)
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const server = createHttpServer(
    { requestTimeout: requestMs, headersTimeout: headersMs, connectionsCheckingInterval: 1000, maxHeaderSize: 16_384 },
    (request, response) => void listener(request, response),
  )
  limitConnections(server, limits)
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => {
      reject(unusable(error, host, port))
    })
    server.listen(port, host, resolve)
  })
  const { port: actual } = server.address() as AddressInfo
  return { host, port: actual, close: () => closeServer(server) }
}

function unusable(error: Error, host: string, port: number): Error {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there; choose another --port',
    EACCES: 'this user may not listen there; choose a --port above 1023',
    EADDRNOTAVAIL: 'this machine does not have that address',
    ENOTFOUND: 'there is no such host',
  }
  const advice = why[systemCode(error) ?? '']
  return advice === undefined ? error : new PipelineError('usage', `${host}:${port}: ${advice}`, { cause: error })
}

/** Connections that answer nothing are closed after this time, in milliseconds. */
const lingerMs = 2000

async function closeServer(server: Server): Promise<void> {
  const done = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeIdleConnections()
  const timer = setTimeout(() => {
    server.closeAllConnections()
  }, lingerMs)
  await done
  clearTimeout(timer)
}
