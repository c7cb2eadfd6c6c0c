import { Readable } from 'node:stream'
import { z } from 'zod'
import { type BatchResult, EntryError } from '../../batch/batch-client.js'
import type { BackendContext } from '../../define-backend.js'
import type { AttemptError, ModelRequest } from '../../model.js'
import { type Endpoint, withQuery } from '../http/protocol/endpoint.js'
import type { Protocol } from '../http/protocol/protocol.js'
import {
  answerMask,
  type ErrorAnswer,
  makeMalformedError,
  maskedFailure,
  parseJson,
  type ReceivedAnswer,
  shownText,
  tryParseJson,
} from '../http/protocol/failure.js'
import { connectionFailure } from '../http/wire/connection-failure.js'
import { openPool, type RoutedPool } from '../http/wire/route.js'

/** The rules by which batches of a provider are sent. */
export interface BatchRules {
  readonly endpoint: Endpoint
  readonly protocol: Protocol
  readonly context: BackendContext
  /** The time that the server may be silent, in milliseconds. */
  readonly timeoutMs: number
  /** Replaces a request before it is sent, for example one with video frames. */
  readonly shown?: (request: ModelRequest) => Promise<ModelRequest>
}

/** The time by which the provider's clock may be behind the local clock, in milliseconds. */
export const clockSkewMs = 10 * 60_000

interface BatchCallsOptions {
  readonly endpoint: Endpoint
  /** The headers of each call, including the key. */
  readonly headers: Readonly<Record<string, string>>
  /** The time that the server may be silent, in milliseconds. A whole upload or download may take longer. */
  readonly timeoutMs: number
  readonly failure: (answer: ErrorAnswer) => AttemptError
}

/** A body that is generated while it is sent. */
export interface StreamedBody {
  readonly type: string
  readonly length: number
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * Calls a batch API. Paths are relative to the endpoint's origin, so the key is sent to no other server, whatever
 * address an answer names.
 *
 * All methods throw AttemptError for an error status or an incomplete response, and pass on an EntryError of the body.
 */
export interface BatchCalls {
  get(path: string, signal: AbortSignal): Promise<unknown>
  post(path: string, body: object | StreamedBody, signal: AbortSignal): Promise<unknown>
  delete(path: string, signal: AbortSignal): Promise<unknown>
  /** Reads a text line by line, without holding all of it in memory. */
  lines(path: string, signal: AbortSignal): AsyncIterable<string>
  close(): Promise<void>
}

interface Call {
  readonly path: string
  readonly body?: StreamedBody | string
  readonly method?: 'DELETE'
  readonly signal: AbortSignal
}

export function openBatchCalls(options: BatchCallsOptions): BatchCalls {
  const { endpoint, timeoutMs } = options
  const pool = openPool(endpoint, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connections: 2 })
  const mask = answerMask(endpoint)
  const json = async (call: Call): Promise<unknown> => parseJson(await whole(pool, options, call), endpoint)
  return {
    get: (path, signal) => json({ path, signal }),
    post: (path, body, signal) => json({ path, signal, body: isStreamed(body) ? body : JSON.stringify(body) }),
    delete: (path, signal) => json({ path, signal, method: 'DELETE' }),
    async *lines(path, signal) {
      try {
        const { body } = await send(pool, options, { path, signal })
        for await (const text of splitLines(body)) yield mask({ headers: {}, text }).text
      } catch (error) {
        throw explainFailure(error, options)
      }
    },
    close: () => pool.close(),
  }
}

async function* splitLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let begun = ''
  for await (const chunk of body) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n')
    begun = lines.pop() ?? ''
    yield* lines.filter(isNoBlank)
  }
  yield* [begun + decoder.decode()].filter(isNoBlank)
}

const isNoBlank = (line: string): boolean => line.trim() !== ''

const isStreamed = (body: object): body is StreamedBody => 'content' in body && 'length' in body

async function whole(pool: RoutedPool, options: BatchCallsOptions, call: Call): Promise<ReceivedAnswer> {
  try {
    const { headers, body } = await send(pool, options, call)
    return { headers, text: await body.text() }
  } catch (error) {
    throw explainFailure(error, options)
  }
}

/** @throws AttemptError if the status is not 2xx */
async function send(
  pool: RoutedPool,
  { endpoint, headers, failure }: BatchCallsOptions,
  { path, body, method, signal }: Call,
) {
  const sent = {
    ...headers,
    ...(body === undefined ? {} : { 'content-type': typeof body === 'string' ? 'application/json' : body.type }),
    ...(typeof body === 'object' ? { 'content-length': String(body.length) } : {}),
  }
  const answer = await pool.request({
    path: withQuery(path, endpoint.query),
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: sent,
    body: typeof body === 'object' ? Readable.from(body.content, { highWaterMark: 1 }) : (body ?? null),
    signal,
  })
  const { statusCode: status } = answer
  if (status >= 200 && status < 300) return answer
  throw failure({ status, headers: answer.headers, text: await answer.body.text() })
}

const explainFailure = (error: unknown, { endpoint }: BatchCallsOptions): unknown =>
  error instanceof EntryError ? error : maskedFailure(connectionFailure(error, endpoint, 'waiting'), endpoint)

/** Removes the key from the failure of a result. */
export const maskedResult = (result: BatchResult, endpoint: Endpoint): BatchResult => ({
  id: result.id,
  said: result.said,
  read(request) {
    try {
      return result.read(request)
    } catch (error) {
      throw maskedFailure(error, endpoint)
    }
  },
})

/** Parses an answer that describes a batch. @throws AttemptError for anything else */
export function parseBatch<T>(shape: z.ZodType<T>, value: unknown, endpoint: Endpoint): T {
  const { data } = shape.safeParse(value)
  if (data === undefined)
    throw makeMalformedError(`answered with something else than a batch: ${shownText(JSON.stringify(value), endpoint)}`)
  return data
}

const createdShape = z.object({ id: z.string().min(1) })

/** Reads the id of a created object. @throws AttemptError if there is none */
export function readId(value: unknown, endpoint: Endpoint): string {
  const { data } = createdShape.safeParse(value)
  if (data === undefined)
    throw makeMalformedError(`answered without an id: ${shownText(JSON.stringify(value), endpoint)}`)
  return data.id
}

/** Parses a line of a batch's results. @throws AttemptError if it is malformed */
export function parseLine<T>(shape: z.ZodType<T>, line: string, endpoint: Endpoint): T {
  const { data } = shape.safeParse(tryParseJson(line))
  if (data === undefined) throw makeMalformedError(`a line of results is none: ${shownText(line, endpoint)}`)
  return data
}

interface Listing<T> {
  readonly calls: BatchCalls
  readonly path: string
  /** The query parameter that names the last entry of the previous page. */
  readonly cursor: 'after' | 'after_id'
  /** Parses an entry. Returns undefined for an entry of another kind. */
  readonly parse: (value: unknown) => T | undefined
  readonly endpoint: Endpoint
  readonly signal: AbortSignal
}

const listShape = z.object({
  data: z.array(z.unknown()),
  has_more: z.boolean().nullish(),
  last_id: z.string().nullish(),
})

/** Reads the entries of a list page by page, as long as the caller wants more. */
export async function* newestFirst<T extends { readonly id: string }>(listing: Listing<T>): AsyncGenerator<T> {
  const { calls, path, cursor, parse, endpoint, signal } = listing
  for (let after = ''; ;) {
    const answer: unknown = await calls.get(`${path}?limit=100${after}`, signal)
    const { data: page } = listShape.safeParse(answer)
    if (page === undefined)
      throw makeMalformedError(
        `answered with something else than a list: ${shownText(JSON.stringify(answer), endpoint)}`,
      )
    const entries = page.data.flatMap(value => parse(value) ?? [])
    yield* entries
    const last = page.last_id ?? entries.at(-1)?.id
    if (page.has_more !== true || last === undefined) return
    after = `&${cursor}=${encodeURIComponent(last)}`
  }
}
