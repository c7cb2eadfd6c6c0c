import { Readable } from 'node:stream'
import { z } from 'zod'
import { AttemptError } from '../../model.js'
import { connectionFailure } from '../http/wire/connection-failure.js'
import { shownBaseUrl, withQuery, type Endpoint } from '../http/protocol/endpoint.js'
import { type ErrorAnswer, makeMalformedError, maskedFailure, parseJson } from '../http/protocol/failure.js'
import { type Headers, headerText } from '../http/protocol/rate-limits.js'
import { openPool, type RoutedPool } from '../http/wire/route.js'
import { Watchdog } from '../http/wire/watchdog.js'
import { contentFailure } from './failure.js'

/** A file at the provider. */
export type RemoteFile = z.output<typeof fileShape>

const fileShape = z.object({
  name: z.string().min(1),
  uri: z.string().min(1),
  /** `PROCESSING`, `ACTIVE` or `FAILED`. */
  state: z.string().default('ACTIVE'),
  error: z.object({ message: z.string().nullish() }).nullish(),
})

/** The upload address, under the same origin. The key is never part of it. */
export interface UploadPlace {
  readonly origin: string
  readonly path: string
}

export interface FileCalls {
  /** Returns a file, or undefined if it does not exist or belongs to another account. */
  get(name: string, signal: AbortSignal): Promise<RemoteFile | undefined>
  /** Begins an upload under the name in `file`. @returns undefined if the name is taken */
  begin(file: NewFile, signal: AbortSignal): Promise<UploadPlace | undefined>
  /** Sends the rest of a file. @param rest the content from `offset` on */
  send(place: UploadPlace, rest: Rest, signal: AbortSignal): Promise<RemoteFile>
  /** Returns how many bytes have arrived, or `all` if the file is complete. */
  arrived(place: UploadPlace, signal: AbortSignal): Promise<number | 'all'>
  close(): Promise<void>
}

export interface NewFile {
  readonly name: string | undefined
  readonly bytes: number
  readonly mime: string
}

export interface Rest {
  readonly offset: number
  readonly length: number
  readonly content: AsyncIterable<Uint8Array>
}

interface Call {
  readonly place: UploadPlace
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Readable
  readonly signal: AbortSignal
}

type Answer = ErrorAnswer & { readonly headers: Headers }

/** The maximum duration of an upload, long enough for a large file on a slow connection. */
const longestUploadMs = 6 * 3600 * 1000

/**
 * Calls the files API of Gemini, with its resumable upload protocol.
 *
 * All methods throw AttemptError. See https://ai.google.dev/api/files and https://ai.google.dev/gemini-api/docs/files
 */
export function openFileCalls(endpoint: Endpoint, stallMs: number): FileCalls {
  const pools = new Map<string, RoutedPool>()
  const findOrOpenPool = (origin: string): RoutedPool => {
    const { proxy } = endpoint
    const pool =
      pools.get(origin) ?? openPool({ origin, proxy }, { connections: null, headersTimeout: 0, bodyTimeout: 0 })
    pools.set(origin, pool)
    return pool
  }
  const ask = (call: Call): Promise<Answer> =>
    answerTo(call, { pool: findOrOpenPool(call.place.origin), endpoint, stallMs })
  const keyed = endpoint.apiKey === undefined ? {} : { 'x-goog-api-key': endpoint.apiKey }
  const at = (path: string): UploadPlace => ({
    origin: endpoint.origin,
    path: withQuery(endpoint.path + path, endpoint.query),
  })
  const makeFailure = (answer: Answer): AttemptError => contentFailure(answer, endpoint)
  return {
    async get(name, signal) {
      const answer = await ask({ place: at(`/v1beta/${name}`), method: 'GET', headers: keyed, signal })
      if (answer.status === 403 || answer.status === 404) return undefined
      if (answer.status >= 300) throw makeFailure(answer)
      return fileIn(parseJson(answer, endpoint), endpoint)
    },
    async begin({ name, bytes, mime }, signal) {
      const headers = {
        ...keyed,
        'content-type': 'application/json',
        ...command('start'),
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-header-content-length': String(bytes),
        'x-goog-upload-header-content-type': mime,
      }
      const body = JSON.stringify({ file: name === undefined ? {} : { name } })
      const answer = await ask({ place: at('/upload/v1beta/files'), method: 'POST', headers, body, signal })
      if (answer.status === 409) return undefined
      if (answer.status >= 300) throw withoutFiles(makeFailure(answer), answer)
      return placeIn(headerText(answer.headers['x-goog-upload-url']), endpoint)
    },
    async send(place, { offset, length, content }, signal) {
      const headers = {
        ...command('upload, finalize'),
        'x-goog-upload-offset': String(offset),
        'content-length': String(length),
      }
      const body = Readable.from(content, { highWaterMark: 1 })
      const answer = await ask({ place, method: 'POST', headers, body, signal })
      if (answer.status >= 300) throw makeFailure(answer)
      return fileIn(z.object({ file: z.unknown() }).safeParse(parseJson(answer, endpoint)).data?.file, endpoint)
    },
    async arrived(place, signal) {
      const answer = await ask({ place, method: 'POST', headers: command('query'), signal })
      if (answer.status >= 300) throw makeFailure(answer)
      if (headerText(answer.headers['x-goog-upload-status']) === 'final') return 'all'
      return Number(headerText(answer.headers['x-goog-upload-size-received'])) || 0
    },
    async close() {
      await Promise.all([...pools.values()].map(pool => pool.close()))
    },
  }
}

const command = (name: string) => ({ 'x-goog-upload-command': name })

/** Sends a call. It fails if no byte moves for too long, or if the signal is aborted. */
async function answerTo(
  { place: { path }, method, headers, body, signal }: Call,
  { pool, endpoint, stallMs }: { readonly pool: RoutedPool; readonly endpoint: Endpoint; readonly stallMs: number },
): Promise<Answer> {
  const ended = new AbortController()
  const watchdog = new Watchdog({ timeoutMs: longestUploadMs, stallMs }, why => {
    ended.abort(new AttemptError('timeout', `${shownBaseUrl(endpoint)}: files: ${why}`, { isRetryable: true }))
  })
  watchdog.expect('file')
  if (typeof body === 'object') body.on('data', () => watchdog.progress())
  try {
    const answer = await pool.request({
      path,
      method,
      headers: { ...headers },
      body: body ?? null,
      signal: AbortSignal.any([signal, ended.signal]),
    })
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  } catch (error) {
    signal.throwIfAborted()
    throw maskedFailure(connectionFailure(error, endpoint, 'waiting'), endpoint)
  } finally {
    watchdog.end()
  }
}

function fileIn(value: unknown, endpoint: Endpoint): RemoteFile {
  const { data } = fileShape.safeParse(value)
  if (data === undefined)
    throw makeMalformedError(`${shownBaseUrl(endpoint)}: files: answered with something else than a file`)
  return data
}

/** Checks that an upload address belongs to the provider, because content is sent nowhere else. */
function placeIn(address: string, endpoint: Endpoint): UploadPlace {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isOwn =
    url?.origin === endpoint.origin || (url?.protocol === 'https:' && url.hostname.endsWith('.googleapis.com'))
  if (url === undefined || !isOwn)
    throw makeMalformedError(`${shownBaseUrl(endpoint)}: files: told no place of its own to upload to`)
  return { origin: url.origin, path: url.pathname + url.search }
}

/** Explains a failure of a gateway that may not support files. */
function withoutFiles(failure: AttemptError, { status }: Answer): AttemptError {
  if (status !== 404 && status !== 405 && status !== 501) return failure
  const hint = ' (are there files at this address? With a larger max_inline_mb media are sent within requests)'
  return new AttemptError('invalid_request', `files: ${failure.message}${hint}`, { isRetryable: false })
}
