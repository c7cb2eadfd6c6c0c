import { Agent, ProxyAgent, setGlobalDispatcher, type Dispatcher } from 'undici'
import { type Env, type Proxy, proxyFor } from '../../../stages/model/backends/http/wire/proxy.js'

/** Makes `fetch` use the proxies of the environment, by the same rules as requests to models. */
export function proxyFetch(env: Env): void {
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
