import { type Env, isProxySet } from '../../../stages/model/backends/http/wire/proxy.js'

/** Makes `fetch` use the proxies of the environment, for datasets, media and tools. Without proxies nothing is changed or loaded. */
export async function fetchByProxy(env: Env): Promise<void> {
  if (!isProxySet(env)) return
  const { proxyFetch } = await import('./proxied-fetch.js')
  proxyFetch(env)
}
