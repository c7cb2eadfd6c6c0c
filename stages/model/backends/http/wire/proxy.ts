import { BlockList, isIP } from 'node:net'
import { PipelineError } from '../../../../../base/errors/errors.js'

/** A proxy between this machine and a server. */
export interface Proxy {
  /** Scheme, host and port. */
  readonly origin: string
  /** The variable or argument that names the proxy, such as `HTTP_PROXY`. */
  readonly source: string
  /** The `proxy-authorization` header, if the proxy needs one. */
  readonly authorization?: string
  /** Values that must never be shown. */
  readonly secrets: readonly string[]
}

/** Describes a proxy that does not answer, and how to send requests without it. @param why the failure, such as `nobody listens there` */
export const describeProxyFailure = ({ origin, source }: Proxy, target: string, why: string): string =>
  `the proxy ${origin} (${source}) does not answer, so the server was not asked: ${why}. Start the proxy, or go without it: ${source === 'proxy' ? 'proxy=none' : `NO_PROXY=${new URL(target).hostname} or proxy=none`}`

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Selects the proxy for an origin, with the common environment variables: `$HTTPS_PROXY` or `$HTTP_PROXY` by its
 * scheme, else `$ALL_PROXY`. Hosts in `$NO_PROXY` and this machine need none. Lower-case variables win.
 *
 * @param address the address of a proxy for all origins, or `none`
 * @throws PipelineError if the proxy's address is invalid or of an unsupported kind
 */
export function proxyFor(origin: string, address: string | undefined, env: Env): Proxy | undefined {
  if (address !== undefined) return address === 'none' ? undefined : parseProxy(address, 'proxy')
  const url = new URL(origin)
  const names = [url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', 'ALL_PROXY']
  const variable = names.flatMap(name => [name.toLowerCase(), name]).find(name => (env[name] ?? '').trim() !== '')
  if (variable === undefined || isOwn(url.hostname) || isExcepted(url, env['no_proxy'] ?? env['NO_PROXY'] ?? ''))
    return undefined
  return parseProxy((env[variable] ?? '').trim(), variable)
}

const isOwn = (host: string): boolean => /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/.test(host)

/**
 * Matches a host against `$NO_PROXY`: `host`, `.domain`, `host:port`, `10.0.0.0/8` or `*`, separated by commas or
 * blanks. A domain includes its subdomains.
 */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  const ownPort = port || defaultPorts[protocol]
  const entries = list.toLowerCase().split(/[\s,]+/)
  return entries.some(entry => {
    if (entry === '' || entry === '*') return entry === '*'
    if (entry.includes('/')) return isWithin(host, entry)
    const [, name = entry, wanted] = exceptedForm(entry)
    if (wanted !== undefined && wanted !== ownPort) return false
    const domain = name.replace(/^\*?\./, '')
    return host === domain || host.endsWith(`.${domain}`)
  })
}

/** Splits an entry into host and port. With more than one colon, it is an IPv6 address without a port. */
const exceptedForm = (entry: string): readonly (string | undefined)[] =>
  /^\[([^\]]*)\](?::(\d+))?$/.exec(entry) ?? /^([^:]*)(?::(\d+))?$/.exec(entry) ?? []

function isWithin(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/')
  const family = isIP(address)
  if (family === 0 || family !== isIP(host) || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(address, Number(bits), type)
  return list.check(host, type)
}

/** @param name the argument or variable, for messages: the address may contain a password */
function parseProxy(text: string, name: string): Proxy {
  const whole = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(whole) ? new URL(whole) : undefined
  if (url === undefined || !(url.protocol in defaultPorts)) {
    const kind = url === undefined ? '' : ` of the kind ${url.protocol}//`
    throw new PipelineError(
      'config',
      `${name} is no address of an HTTP proxy${kind}; write it like http://proxy:3128. Without any: proxy=none, or NO_PROXY for some hosts.`,
    )
  }
  const user = decodeURIComponent(url.username)
  const password = decodeURIComponent(url.password)
  const found = { origin: url.origin, source: name }
  if (user === '' && password === '') return { ...found, secrets: [] }
  const encoded = Buffer.from(`${user}:${password}`).toString('base64')
  return {
    ...found,
    authorization: `Basic ${encoded}`,
    secrets: [password, url.password, encoded].filter(secret => secret !== ''),
  }
}

export type Env = Readonly<Record<string, string | undefined>>

/** The environment variables for proxies. Lower-case variables win. */
const proxyVariables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap(name => [name.toLowerCase(), name])

/** Tells whether the environment defines a proxy. */
export const isProxySet = (env: Env): boolean => proxyVariables.some(name => (env[name] ?? '').trim() !== '')
