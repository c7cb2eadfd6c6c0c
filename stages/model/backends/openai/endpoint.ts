import { PipelineError } from '../../../../base/errors.js'

/** Where a model is asked, and with which key. */
export interface Endpoint {
  /** Scheme, host and port, without a slash at the end. */
  readonly origin: string
  /** Path of the API under the origin, without a slash at the end; may be empty. */
  readonly path: string
  readonly apiKey: string | undefined
}

export interface EndpointArgs {
  readonly base_url?: string | undefined
  readonly api_key?: string | undefined
}

type Env = Readonly<Record<string, string | undefined>>

export const defaultBaseUrl = 'https://api.openai.com/v1'
export const keyVariable = 'OPENAI_API_KEY'

/** @throws PipelineError where the address is none, or needs a key that is not there. */
export function endpointOf(args: EndpointArgs, env: Env): Endpoint {
  // An unset variable on the command line must not send key and prompts to another server than was meant.
  if (args.base_url?.trim() === '')
    throw new PipelineError(
      'config',
      'openai: base_url is given, but empty. Is the variable set that it was to come from?',
    )
  const { origin, path } = parseBaseUrl(firstSet(args.base_url, env['OPENAI_BASE_URL'], env['OPENAI_API_BASE']))
  const apiKey = firstSet(args.api_key, env[keyVariable])?.trim()
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new PipelineError(
      'config',
      `openai: the API key (api_key or ${keyVariable}) holds characters that no header can carry`,
    )
  }
  if (apiKey === undefined && origin === new URL(defaultBaseUrl).origin) {
    throw new PipelineError(
      'config',
      `openai: ${origin} needs an API key. Set ${keyVariable}, or give base_url=… of another server.`,
    )
  }
  return { origin, path, apiKey }
}

/** How an address is written in identities: two ways to write one are one. */
export const shownBaseUrl = ({ origin, path }: Endpoint): string => origin + path

function parseBaseUrl(text = defaultBaseUrl): { origin: string; path: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new PipelineError('config', 'openai: base_url is not an address; write it like http://127.0.0.1:8000/v1')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new PipelineError('config', 'openai: base_url is only scheme, host and path; a key is given as api_key')
  }
  // People paste the whole address of the call.
  const path = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')
  return { origin: url.origin, path }
}

const firstSet = (...values: readonly (string | undefined)[]): string | undefined =>
  values.find(value => value !== undefined && value.trim() !== '')
