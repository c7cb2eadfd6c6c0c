import { Readable } from 'node:stream'
import { Pool } from 'undici'
import { AttemptError } from '../../define-backend.js'
import { shownBaseUrl, type Endpoint } from './endpoint.js'
import { connectionFailure, type ErrorAnswer, type ReceivedAnswer } from './failure.js'
import type { Body } from './media-body.js'

export interface ConnectionOptions {
  readonly endpoint: Endpoint
  /** Beside content type and length; the key is in one of them. */
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds for one attempt, from sending to the last byte. */
  readonly timeoutMs: number
  /** The most sockets; as many as are wanted where it is absent. */
  readonly connections?: number | undefined
  /** The failure that an answer with an error status stands for. */
  readonly failure: (answer: ErrorAnswer) => AttemptError
}

/** Sockets to one server, reused. */
export interface Connection {
  /**
   * What the server answers with status 200.
   *
   * @param path of the call, under the endpoint's origin; with a query, if it has one.
   * @throws AttemptError for any other status, and where no whole answer came in time.
   */
  post(path: string, body: Body, signal: AbortSignal): Promise<ReceivedAnswer>
  close(): Promise<void>
}

const longestAnswer = 64 * 1024 * 1024

/** Straight on undici: the official SDK on top of it costs four times as much time a request. */
export function openConnection(options: ConnectionOptions): Connection {
  // One deadline of our own instead of undici's: a long generation is silent for minutes before its first byte.
  const pool = new Pool(options.endpoint.origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: longestAnswer,
    connections: options.connections ?? null,
  })
  const send = sender(pool, options)
  return {
    post: (path, body, signal) => withDeadline(signal, options, deadline => send(path, body, deadline)),
    close: () => pool.destroy(),
  }
}

function sender(pool: Pool, { headers: own, failure }: ConnectionOptions) {
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...own }
  return async (path: string, { content, length }: Body, signal: AbortSignal): Promise<ReceivedAnswer> => {
    const answer = await pool.request({
      path,
      method: 'POST',
      headers: { ...headers, 'content-length': String(length) },
      body: typeof content === 'string' ? content : Readable.from(content, { highWaterMark: 1 }),
      signal,
    })
    const text = await answer.body.text()
    if (answer.statusCode === 200) return { headers: answer.headers, text }
    throw failure({ status: answer.statusCode, headers: answer.headers, text })
  }
}

async function withDeadline<T>(
  signal: AbortSignal,
  { timeoutMs, endpoint }: ConnectionOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController()
  const breakOff = () => abort.abort()
  const timer = setTimeout(breakOff, timeoutMs)
  signal.addEventListener('abort', breakOff)
  try {
    signal.throwIfAborted()
    return await work(abort.signal)
  } catch (error) {
    if (abort.signal.aborted && !signal.aborted) {
      throw new AttemptError('timeout', `${shownBaseUrl(endpoint)}: no answer within ${timeoutMs / 1000} s`, {
        isRetryable: true,
        cause: error,
      })
    }
    throw connectionFailure(error, endpoint)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', breakOff)
  }
}
