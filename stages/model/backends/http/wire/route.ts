import { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher, Pool } from 'undici'
import { AttemptError } from '../../../model.js'
import type { Endpoint } from '../protocol/endpoint.js'
import { explainConnection } from './connection-words.js'
import { describeProxyFailure, type Proxy } from './proxy.js'

/** The route to an origin: the socket, a prefix of each path and additional headers. */
export interface Route {
  readonly origin: string
  readonly connect: buildConnector.connector
  readonly pathPrefix: string
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

const connectTimeoutMs = 10_000

/** Finds the route to an endpoint. With a proxy, TLS uses a tunnel, and plain HTTP sends the full URL to the proxy. */
export function routeTo({ origin, proxy }: Pick<Endpoint, 'origin' | 'proxy'>): Route {
  const connect = buildConnector({ timeout: connectTimeoutMs })
  if (proxy === undefined) return { origin, connect, pathPrefix: '', headers: [] }
  if (origin.startsWith('https:')) return { origin, connect: tunnel(proxy, connect), pathPrefix: '', headers: [] }
  const login = proxy.authorization === undefined ? [] : ['proxy-authorization', proxy.authorization]
  return { origin: proxy.origin, connect, pathPrefix: origin, headers: ['host', new URL(origin).host, ...login] }
}

function tunnel(proxy: Proxy, connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    const { hostname, port } = options
    const host = `${hostname}:${port === '' ? '443' : port}`
    const login = proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }
    const client = new Client(proxy.origin, { connect, headersTimeout: connectTimeoutMs })
    client.connect({ path: host, headers: { host, ...login } }).then(
      ({ statusCode, socket }) => {
        if (statusCode === 200 && socket instanceof Socket) {
          connect({ ...options, httpSocket: socket }, callback)
          return
        }
        socket.on('error', () => undefined).destroy()
        callback(makeRefusalError(proxy, statusCode), null)
      },
      (error: unknown) => {
        callback(makeUnreachableError(proxy, error, options.host ?? hostname), null)
      },
    )
  }
}

/** Explains the proxy's answer to the request for a tunnel. */
function makeRefusalError({ origin }: Proxy, status: number): AttemptError {
  const hint =
    status === 407 ? ': give user and password in its address' : status === 403 ? ': it does not lead there' : ''
  return new AttemptError('server', `the proxy ${origin} answered with status ${status}${hint}`, {
    isRetryable: status >= 500 || status === 429,
  })
}

const makeUnreachableError = (proxy: Proxy, error: unknown, host: string): AttemptError =>
  new AttemptError('server', describeProxyFailure(proxy, `https://${host}`, explainConnection(error)), {
    isRetryable: true,
    isUnreachable: true,
    cause: error,
  })

/** A pool of connections for a few calls to one origin, through its proxy if it has one. */
export interface RoutedPool {
  request(call: RoutedCall): Promise<Dispatcher.ResponseData>
  close(): Promise<void>
}

interface RoutedCall extends Pick<Dispatcher.RequestOptions, 'path' | 'method' | 'body' | 'signal'> {
  readonly headers: Readonly<Record<string, string>>
}

/** @param options the maximum number of connections (null: no maximum), and timeouts in milliseconds (0: none) */
export function openPool(
  endpoint: Pick<Endpoint, 'origin' | 'proxy'>,
  options: { readonly connections: number | null; readonly headersTimeout: number; readonly bodyTimeout: number },
): RoutedPool {
  const { origin, connect, pathPrefix, headers: own } = routeTo(endpoint)
  const pool = new Pool(origin, { ...options, connect })
  return {
    request: ({ path, headers, ...call }) =>
      pool.request({ ...call, path: pathPrefix + path, headers: [...Object.entries(headers).flat(), ...own] }),
    close: () => pool.destroy(),
  }
}
