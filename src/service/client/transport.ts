/** Requests with retries. */
import { pause } from '../../../base/time/pause.js'
import { realClock } from '../../clock.js'
import { ConnectionError, ServiceError } from './errors.js'

/** Says where the service is, and how the client asks it. */
export interface ClientOptions {
  /** @default 'http://127.0.0.1:7310' */
  readonly baseUrl?: string
  /** A token of the service, which begins with `pl_`. */
  readonly token?: string
  /** Maximum number of retries of one request. @default 8 */
  readonly maxRetries?: number
  /** The wait before the first retry, in milliseconds. It doubles with each retry, up to ten seconds. @default 250 */
  readonly retryDelayMs?: number
  /** The maximum time for one answer, in milliseconds. @default 60_000 */
  readonly timeoutMs?: number
  /** @default globalThis.fetch */
  readonly fetch?: typeof fetch
}

/** Options that every request of the client takes. */
export interface RequestOptions {
  /** Ends the request, its retries included. */
  readonly signal?: AbortSignal
}

/** The method, query, headers, body and limits of a request. */
export interface Sent extends RequestOptions {
  readonly method?: string
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The time that the service may wait before it answers, in seconds. */
  readonly waitSeconds?: number
  /** @default true */
  readonly isRetried?: boolean
}

/** The longest wait between two attempts that the client chooses itself, in milliseconds. */
const longestDelayMs = 10_000

/** Statuses that another attempt may change. */
const passing = new Set([429, 502, 503])

/** Sends requests to one service, with its token, timeouts and retries. */
export class Transport {
  readonly #options: Required<Omit<ClientOptions, 'token'>>
  readonly #headers: Readonly<Record<string, string>>

  constructor({ token, ...options }: ClientOptions) {
    const baseUrl = (options.baseUrl ?? 'http://127.0.0.1:7310').replace(/\/+$/, '')
    if (!URL.canParse(baseUrl)) throw new TypeError(`baseUrl ${baseUrl}: expected an address such as http://host:7310`)
    this.#options = {
      baseUrl,
      maxRetries: options.maxRetries ?? 8,
      retryDelayMs: options.retryDelayMs ?? 250,
      timeoutMs: options.timeoutMs ?? 60_000,
      fetch: options.fetch ?? ((...args) => fetch(...args)),
    }
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs
  }

  /**
   * The JSON of an answer.
   *
   * @throws ServiceError, ConnectionError, or the reason of the signal
   */
  async json<Answer>(path: string, sent: Sent = {}): Promise<Answer> {
    const attempt = async (): Promise<Answer> => {
      const ms = this.#options.timeoutMs + (sent.waitSeconds ?? 0) * 1000
      const answer = await this.#ask(path, sent, either(sent.signal, AbortSignal.timeout(ms)))
      // The schemas of the service describe the answer.
      return (await unlessCut(() => answer.json())) as Answer
    }
    return sent.isRetried === false ? attempt() : this.#retried(attempt, sent.signal)
  }

  /** Opens a streamed response. The signal ends it. */
  open(path: string, sent: Sent): Promise<ReadableStream<Uint8Array>> {
    return this.#retried(async () => {
      const begun = new AbortController()
      const timer = setTimeout(() => {
        begun.abort()
      }, this.#options.timeoutMs)
      try {
        const { body } = await this.#ask(path, sent, either(sent.signal, begun.signal))
        if (body === null) throw new ConnectionError(`${path}: the answer has no body`)
        return body
      } finally {
        clearTimeout(timer)
      }
    }, sent.signal)
  }

  /**
   * Waits before a retry.
   *
   * @param retry the number of retries before
   * @throws the error, if it is final or was the last one
   */
  async beforeRetry(error: unknown, retry: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const { maxRetries, retryDelayMs } = this.#options
    const isPassing = error instanceof ConnectionError || (error instanceof ServiceError && passing.has(error.status))
    if (!isPassing || retry >= maxRetries) throw error
    const own = Math.min(longestDelayMs, retryDelayMs * 2 ** retry) * (0.5 + Math.random() / 2)
    const serverDelayMs = error instanceof ServiceError ? error.retryAfterMs : undefined
    await pauseUnless(signal, Math.max(own, serverDelayMs ?? 0))
  }

  async #retried<Answer>(attempt: () => Promise<Answer>, signal: AbortSignal | undefined): Promise<Answer> {
    for (let retry = 0; ; retry += 1) {
      try {
        return await attempt()
      } catch (error) {
        await this.beforeRetry(error, retry, signal)
      }
    }
  }

  async #ask(path: string, { method = 'GET', query, headers, body }: Sent, signal: AbortSignal): Promise<Response> {
    const { baseUrl, fetch: send } = this.#options
    const answer = await unlessCut(() =>
      send(`${baseUrl}${path}${formatQuery(query)}`, {
        method,
        headers: {
          ...this.#headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
      }),
    )
    if (answer.ok) return answer
    const text = await unlessCut(() => answer.text())
    throw new ServiceError(answer.status, problemsIn(text), retryAfterMs(answer.headers.get('retry-after')))
  }
}

async function unlessCut<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const why = inner instanceof Error ? inner.message || inner.name : String(inner)
    throw new ConnectionError(`the connection to the service failed: ${why}`, { cause: error })
  }
}

function formatQuery(query: Sent['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((part): [string, string] => [name, String(part)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

function problemsIn(text: string): readonly string[] {
  try {
    const { detail, problems } = JSON.parse(text) as { readonly detail?: unknown; readonly problems?: unknown }
    if (Array.isArray(problems) && problems.every(problem => typeof problem === 'string')) return problems
    if (typeof detail === 'string') return [detail]
  } catch {
    // A proxy may answer with an HTML error page.
  }
  return [text.slice(0, 1000)]
}

/** The header has seconds or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

const either = (callerSignal: AbortSignal | undefined, own: AbortSignal): AbortSignal =>
  callerSignal === undefined ? own : AbortSignal.any([callerSignal, own])

/** @throws the reason of the signal */
export async function pauseUnless(signal: AbortSignal | undefined, ms: number): Promise<void> {
  await pause(ms, realClock, signal === undefined ? [] : [signal])
  signal?.throwIfAborted()
}
