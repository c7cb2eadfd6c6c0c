import { Pool, type Dispatcher } from 'undici'
import type { Endpoint } from '../protocol/endpoint.js'
import { routeTo } from './route.js'

/** Sockets to one origin for calls that are few, by its proxy if it has one. */
export interface RoutedPool {
  request(call: RoutedCall): Promise<Dispatcher.ResponseData>
  close(): Promise<void>
}

export interface RoutedCall extends Pick<Dispatcher.RequestOptions, 'path' | 'method' | 'body' | 'signal'> {
  readonly headers: Readonly<Record<string, string>>
}

/** @param options how many sockets (null: as many as calls), and how long a server may be silent (milliseconds; 0 for ever) */
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
