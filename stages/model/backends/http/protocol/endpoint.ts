import { PipelineError } from '../../../../../base/errors/errors.js'
import { isSecretName } from '../../../../../base/text/secrets.js'
import { type Env, type Proxy, proxyFor } from '../wire/proxy.js'

/** The address of a model's API, and the key for it. */
export interface Endpoint {
  /** The backend, as errors name it. */
  readonly backend: string
  /** Scheme, host and port, without a slash at the end. */
  readonly origin: string
  /** Path of the API under the origin, without a slash at the end; may be empty. */
  readonly path: string
  /** What follows the `?` of each call, such as a version of the API; absent where nothing does. */
  readonly query?: string | undefined
  readonly apiKey: string | undefined
  /** The environment variable that a key is looked for in, as errors name it. */
  readonly keyVariable: string
  /** The proxy that leads there, if any. */
  readonly proxy?: Proxy | undefined
}

/** What a provider says of its addresses and keys. */
export interface EndpointRules {
  readonly backend: string
  /** Without it an address must be given. */
  readonly defaultBaseUrl?: string
  /** Environment variables that may hold another address, the first that is set wins. */
  readonly baseUrlVariables: readonly string[]
  /** Environment variables that may hold the key, the first that is set wins. */
  readonly keyVariables: readonly [string, ...string[]]
  /** Whether every address needs a key; else only that of `defaultBaseUrl` does. */
  readonly alwaysNeedsKey?: boolean
  /** Matches what people paste with an address though it is the pipeline's to add. */
  readonly callSuffix: RegExp
  /** An address as it is written. */
  readonly example: string
}

export interface EndpointArgs {
  readonly base_url?: string | undefined
  readonly api_key?: string | undefined
  readonly proxy?: string | undefined
}

/** @throws PipelineError where the address is none, or needs a key that is not there. */
export function endpointOf(rules: EndpointRules, args: EndpointArgs, env: Env): Endpoint {
  const { origin, path, query } = addressOf(rules, args, env)
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
    throw new PipelineError('config', `${backend}: ${origin} needs an API key. Set ${keyVariable}${elsewhere}.`)
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

/** An address to which `/v1` is added where it names a server alone. What is no address stays as it is, to be refused. */
export function withVersion(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  return url.pathname === '/' && url.search === '' ? `${url.origin}/v1` : address
}

/** All that must not be shown of it. */
export const secretsOf = ({ apiKey, proxy }: Pick<Endpoint, 'apiKey' | 'proxy'>): readonly string[] => [
  ...(apiKey === undefined ? [] : [apiKey]),
  ...(proxy?.secrets ?? []),
]

/** How an address is written in identities: two ways to write one are one. */
export const shownBaseUrl = ({ origin, path, query }: Pick<Endpoint, 'origin' | 'path' | 'query'>): string =>
  withQuery(origin + path, query)

/** A path, or an address, that may have a query already, with a further one. */
export const withQuery = (path: string, query: string | undefined): string =>
  query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`

function addressOf(rules: EndpointRules, { base_url: given }: EndpointArgs, env: Env) {
  const { backend, baseUrlVariables: variables } = rules
  // An unset variable on the command line must not send key and prompts to another server than was meant.
  if (given?.trim() === '') {
    throw new PipelineError(
      'config',
      `${backend}: base_url is given, but empty. Is the variable set that it was to come from?`,
    )
  }
  const text = firstSet(given, ...variables.map(name => env[name])) ?? rules.defaultBaseUrl
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

const isSecretParameter = (name: string): boolean =>
  isSecretName(name.replace(/([a-z])([A-Z])/g, '$1_$2').replaceAll('-', '_')) ||
  /^(apikey|sig|signature|code)$/i.test(name)

export const firstSet = (...values: readonly (string | undefined)[]): string | undefined =>
  values.find(value => value !== undefined && value.trim() !== '')
