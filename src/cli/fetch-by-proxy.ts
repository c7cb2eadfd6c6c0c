import { type Env, isProxySet } from '../../stages/model/backends/http/wire/proxy.js'

/**
 * Lets `fetch` ask by the proxies that the environment names: datasets, media and tools behind addresses. Nothing changes, and nothing
 * is loaded, where it names none.
 */
export async function fetchByProxy(env: Env): Promise<void> {
  if (!isProxySet(env)) return
  const { proxyFetch } = await import('./proxied-fetch.js')
  proxyFetch(env)
}
