import { Agent, DecoratorHandler, ProxyAgent, setGlobalDispatcher, type Dispatcher } from 'undici'
import { systemCode } from '../../../base/errors/errors.js'
import { explainConnection, unreachableCodes } from '../../../stages/model/backends/http/wire/connection-words.js'
import { describeProxyFailure, type Env, type Proxy, proxyFor } from '../../../stages/model/backends/http/wire/proxy.js'

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
    if (proxy === undefined) return direct(options, handler)
    return agentAt(proxy).dispatch(options, new ProxyErrors(handler, proxy, String(options.origin)))
  }
  setGlobalDispatcher(new Agent().compose(choosing))
}

/** Names the proxy in errors of its connection, since only the proxy was dialled. */
class ProxyErrors extends DecoratorHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler
  readonly #proxy: Proxy
  readonly #origin: string

  constructor(handler: Dispatcher.DispatchHandler, proxy: Proxy, origin: string) {
    super(handler)
    this.#handler = handler
    this.#proxy = proxy
    this.#origin = origin
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#handler.onResponseError?.(controller, this.#explain(error))
  }

  #explain(error: Error): Error {
    const code = systemCode(error)
    if (code === undefined || !unreachableCodes.has(code)) return error
    const words = describeProxyFailure(this.#proxy, this.#origin, explainConnection(error))
    return Object.assign(new Error(words, { cause: error }), { code })
  }
}
