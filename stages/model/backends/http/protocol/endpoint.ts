import { PipelineError } from '../../../../../base/errors/errors.js'
import { isSecretName } from '../../../../../base/text/secrets.js'
import { type Env, type Proxy, proxyFor } from '../wire/proxy.js'

/** The address of a model's API, with its key. */
export interface Endpoint {
  /** The backend's name in errors. */
  readonly backend: string
  /** Scheme, host and port, without a slash at the end. */
  readonly origin: string
  /** The path of the API under the origin, without a slash at the end. May be empty. */
  readonly path: string
  /** The query of each call, such as an API version. Absent if there is none. */
  readonly query?: string | undefined
  readonly apiKey: string | undefined
  /** The environment variable for the key, as errors name it. */
  readonly keyVariable: string
  /** The proxy for this origin, if there is one. */
  readonly proxy?: Proxy | undefined
}

/** The provider's default address and variables. */
export interface EndpointRules {
  readonly backend: string
  /** The default address. Without it, an address must be given. */
  readonly defaultBaseUrl?: string
  /** Environment variables for another address. The first that is set wins. */
  readonly baseUrlVariables: readonly string[]
  /** Environment variables for the key. The first that is set wins. */
  readonly keyVariables: readonly [string, ...string[]]
  /** True if every address needs a key. Otherwise only `defaultBaseUrl` does. */
  readonly alwaysNeedsKey?: boolean
  /** Matches the end of a pasted address that the pipeline adds itself. */
  readonly callSuffix: RegExp
  /** An example of an address. */
  readonly example: string
}

export interface EndpointArgs {
  readonly base_url?: string | undefined
  readonly api_key?: string | undefined
  readonly proxy?: string | undefined
}

/** @throws PipelineError if the address is invalid, or if a required key is missing */
export function resolveEndpoint(rules: EndpointRules, args: EndpointArgs, env: Env): Endpoint {
  const { origin, path, query } = resolveAddress(rules, args, env)
  const { backend, keyVariables } = rules
  const [keyVariable] = keyVariables
  const apiKey = firstSet(args.api_key, ...keyVariables.map(name => env[name]))?.trim()
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new PipelineError(
      'config',
      `${backend}: the API key (api_key or ${keyVariable}) holds characters that no header can carry`,
    )
  }
  const isDefault = rules.defaultBaseUrl !== undefined && origin === new URL(rules.defaultBaseUrl).origin
  if (apiKey === undefined && (isDefault || rules.alwaysNeedsKey === true)) {
    const elsewhere = rules.alwaysNeedsKey === true ? '' : ', or give base_url=… of another server'
    throw new PipelineError('config', `${backend}: ${origin} needs an API key. Set ${keyVariable}${elsewhere}.`, {
      reason: 'lacking-here',
    })
  }
  const proxy = proxyFor(origin, args.proxy, env)
  return {
    backend,
    origin,
    path,
    ...(query === '' ? {} : { query }),
    apiKey,
    keyVariable,
    ...(proxy === undefined ? {} : { proxy }),
  }
}

/** Adds `/v1` to an address that has no path. Invalid addresses are returned unchanged, to be rejected later. */
export function withVersion(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  return url.pathname === '/' && url.search === '' ? `${url.origin}/v1` : address
}

/** Lists the values that must never be shown. */
export const listSecrets = ({ apiKey, proxy }: Pick<Endpoint, 'apiKey' | 'proxy'>): readonly string[] => [
  ...(apiKey === undefined ? [] : [apiKey]),
  ...(proxy?.secrets ?? []),
]

/** Writes an address for identities, in one form for equal addresses. */
export const shownBaseUrl = ({ origin, path, query }: Pick<Endpoint, 'origin' | 'path' | 'query'>): string =>
  withQuery(origin + path, query)

/** Adds a query to a path or address that may have one already. */
export const withQuery = (path: string, query: string | undefined): string =>
  query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`

function resolveAddress(rules: EndpointRules, { base_url: baseUrl }: EndpointArgs, env: Env) {
  const { backend, baseUrlVariables: variables } = rules
  // An empty value is rejected. An unset shell variable must not send the key and prompts to another server.
  if (baseUrl?.trim() === '') {
    throw new PipelineError(
      'config',
      `${backend}: base_url is given, but empty. Is the variable set that it was to come from?`,
    )
  }
  const text = firstSet(baseUrl, ...variables.map(name => env[name])) ?? rules.defaultBaseUrl
  if (text !== undefined) return parseBaseUrl(text, rules)
  const orVariable = variables[0] === undefined ? '' : `, or set ${variables[0]}`
  throw new PipelineError('config', `${backend}: give base_url=${rules.example}${orVariable}`)
}

function parseBaseUrl(text: string, rules: EndpointRules): { origin: string; path: string; query: string } {
  const { backend, callSuffix, example } = rules
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new PipelineError('config', `${backend}: base_url is not an address; write it like ${example}`)
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new PipelineError(
      'config',
      `${backend}: base_url is only scheme, host, path and query; a key is given as api_key`,
    )
  }
  const secret = [...url.searchParams.keys()].find(isSecretParameter)
  if (secret !== undefined) {
    throw new PipelineError(
      'config',
      `${backend}: the query of base_url holds "${secret}", and addresses are stored; a key is given as api_key`,
    )
  }
  const path = url.pathname.replace(/\/+$/, '').replace(callSuffix, '')
  return { origin: url.origin, path, query: url.search.slice(1) }
}

const isSecretParameter = (name: string): boolean => isSecretName(name) || /^(sig|signature|code)$/i.test(name)

export const firstSet = (...values: readonly (string | undefined)[]): string | undefined =>
  values.find(value => value !== undefined && value.trim() !== '')
