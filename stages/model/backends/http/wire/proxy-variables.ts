import type { Env } from '../protocol/endpoint.js'

/** Variables of the environment that name proxies; in small letters they win. */
const proxyVariables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap(name => [name.toLowerCase(), name])

/** Whether the environment names any. */
export const isProxySet = (env: Env): boolean => proxyVariables.some(name => (env[name] ?? '').trim() !== '')
