import { messageOf, PipelineError, systemCode } from '../../../../base/errors/errors.js'
import { withoutSecrets } from '../../../../base/text/secrets.js'
import type { Emit } from '../../../../cache/events.js'
import { DatasetProblem } from '../dataset.js'

export type Fetch = typeof fetch

/** The endpoint could not be reached, or closed the connection. A retry may succeed. */
export class HubUnreachable extends DatasetProblem {}

/**
 * Makes a `fetch` with the user's token. The token is sent to the endpoint's own origin only, even where a listing
 * names its next page elsewhere; on a redirect to another host, `fetch` removes it.
 *
 * @throws HubUnreachable where no answer comes
 */
export function hubFetch({
  endpoint,
  token,
  signal,
  patience,
}: HubSettings & { readonly patience: { readonly stallMs: number } }): Fetch {
  const { origin } = new URL(endpoint)
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input)
    const headers = new Headers(init.headers)
    if (token !== undefined && new URL(url).origin === origin) headers.set('authorization', `Bearer ${token}`)
    const late = AbortSignal.timeout(patience.stallMs)
    const signals = [init.signal, signal].filter(abortSignal => abortSignal !== undefined && abortSignal !== null)
    // The timeout covers the headers only. The reader of a body watches it.
    const begun = new AbortController()
    const abort = (): void => begun.abort()
    late.addEventListener('abort', abort)
    try {
      return await fetch(url, { ...init, headers, signal: AbortSignal.any([...signals, begun.signal]) })
    } catch (error) {
      if (signals.some(abortSignal => abortSignal.aborted)) throw error
      const why = late.aborted ? `no answer within ${patience.stallMs / 1_000} s` : describeCause(error)
      const reason = withoutSecrets(why, token === undefined ? [] : [token])
      throw new HubUnreachable(
        'dataset_path',
        `${origin} can't be reached: ${reason} (with HF_HUB_OFFLINE=1 the cache is used alone)`,
        { cause: error },
      )
    } finally {
      late.removeEventListener('abort', abort)
    }
  }
}

/** `fetch failed` says nothing; its cause does. */
export function describeCause(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof PipelineError) return cause.message
  return systemCode(cause) ?? (cause === undefined ? messageOf(error) : messageOf(cause))
}

/** Words why the Hub refused a request for a repository. */
export function refusal(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  request: { readonly repo: string; readonly what: string; readonly settings: Pick<HubSettings, 'endpoint' | 'token'> },
): DatasetProblem {
  const { repo, what, settings } = request
  const code = headers.get('x-error-code')
  const has = settings.token === undefined ? 'HF_TOKEN is not set' : 'with the token in HF_TOKEN'
  const page = `${settings.endpoint}/datasets/${repo}`
  const say = (text: string): DatasetProblem => new DatasetProblem('dataset_path', text)
  if (code === 'GatedRepo' || status === 403)
    return say(
      `${repo} is gated or not for this user (${status}, ${has}): ask for access at ${page}, and give a token that has it in HF_TOKEN`,
    )
  if (code === 'RevisionNotFound') return new DatasetProblem('dataset_kwargs', `${repo} has no revision ${what}`)
  if (code === 'EntryNotFound') return say(`${repo} has no file ${what}`)
  if (status === 401)
    return say(`no dataset ${repo} that may be read (401, ${has}): it is not there, private or gated   (${page})`)
  if (status === 404)
    return say(`no dataset ${repo} at ${settings.endpoint}, or nothing there called ${what} (404, ${has})`)
  if (status === 429 || status >= 500)
    return new HubUnreachable(
      'dataset_path',
      `${settings.endpoint} answered ${status} when asked for ${what} of ${repo}`,
    )
  return say(`${settings.endpoint} answered ${status} when asked for ${what} of ${repo}`)
}

/** Settings of the connection to the Hub, or a mirror of it. */
export interface HubSettings {
  /** The address of the Hub, such as `https://huggingface.co`, without a trailing slash. */
  readonly endpoint: string
  /** Sent to the endpoint only; never stored or shown. */
  readonly token?: string
  /** Sends no request: only the cache is used. */
  readonly offline: boolean
  /** Folder for downloads. */
  readonly cacheDir: string
  readonly emit: Emit
  /** When aborted, downloads stop and keep what they have. */
  readonly signal?: AbortSignal
  readonly patience?: HubTimeouts
}

/** Timeouts of requests. */
export interface HubTimeouts {
  /** Attempts in a row that receive no byte. */
  readonly attempts: number
  /** Milliseconds before the second attempt; doubled before each later one. */
  readonly firstWaitMs: number
  /** Milliseconds without a byte after which a connection counts as lost. */
  readonly stallMs: number
}

export const usualPatience: HubTimeouts = { attempts: 5, firstWaitMs: 500, stallMs: 60_000 }
