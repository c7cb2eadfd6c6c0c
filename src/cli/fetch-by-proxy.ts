import type { Dispatcher, ProxyAgent } from 'undici'
import { isProxySet, proxyFor, type Proxy } from '../../stages/model/backends/http/proxy.js'
import type { Env } from '../../stages/model/backends/http/endpoint.js'

/**
 * Lets `fetch` ask by the proxies that the environment names, by the rules that models are asked by: datasets, media and tools behind
 * addresses. Nothing changes, and nothing is loaded, where it names none.
 */
export async function fetchByProxy(env: Env): Promise<void> {
  if (!isProxySet(env)) return
  const { Agent, ProxyAgent, setGlobalDispatcher } = await import('undici')
  const agents = new Map<string, ProxyAgent>()
  const agentAt = ({ origin: uri, authorization }: Proxy): ProxyAgent => {
    const agent =
      agents.get(uri) ??
      new ProxyAgent({ uri, proxyTunnel: false, ...(authorization === undefined ? {} : { token: authorization }) })
    agents.set(uri, agent)
    return agent
  }
  const choosing: Dispatcher.DispatcherComposeInterceptor = direct => (options, handler) => {
    const proxy = options.origin === undefined ? undefined : proxyFor(String(options.origin), undefined, env)
    return proxy === undefined ? direct(options, handler) : agentAt(proxy).dispatch(options, handler)
  }
  setGlobalDispatcher(new Agent().compose(choosing))
}
