import { Readable } from 'node:stream'
import { Pool } from 'undici'
import type { MediaDigest } from '../../../../cache/digest.js'
import type { MediaPart } from '../../../../cache/records.js'
import {
  AttemptError,
  type BackendContext,
  type BackendDefinition,
  type Model,
  type ModelAnswer,
  type ModelRequest,
} from '../../define-backend.js'
import { shownBaseUrl, type Endpoint } from './endpoint.js'
import { connectionFailure, impossible, type ErrorAnswer, type ReceivedAnswer } from './failure.js'
import { bodyOf, mediaHeads, mediaOf, type Body, type BodyPiece, type MediumHead, type TypeOf } from './media-body.js'

/** What one provider's API says and understands. Plain functions: sending is the client's. */
export interface Protocol {
  /** Of the call, under the endpoint's origin; with a query, if it has one. */
  readonly path: string
  /** Beside content type and length; the key is in one of them. */
  readonly headers: Readonly<Record<string, string>>
  readonly accepts: BackendDefinition['accepts']
  /** The JSON text of one request, in pieces around the media. */
  write(request: ModelRequest, typeOf: TypeOf): readonly BodyPiece[]
  /** @throws AttemptError where the answer is an error, none at all, or what a filter left of one. */
  read(received: ReceivedAnswer, request: ModelRequest): ModelAnswer
  /** The failure that an answer with an error status stands for. */
  failure(answer: ErrorAnswer): AttemptError
}

export interface ClientOptions {
  readonly endpoint: Endpoint
  readonly protocol: Protocol
  /** Milliseconds for one attempt, from sending to the last byte. */
  readonly timeoutMs: number
  readonly context: BackendContext
}

const longestAnswer = 64 * 1024 * 1024

/**
 * A client straight on undici: the official SDK on top of it costs four times as much time a request.
 *
 * Sockets are as many as requests are under way, and reused.
 */
export function openClient(options: ClientOptions): Model {
  const { endpoint, protocol, context } = options
  // One deadline of our own instead of undici's: a long generation is silent for minutes before its first byte.
  const pool = new Pool(endpoint.origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: longestAnswer,
    connections: context.concurrency ?? null,
  })
  const headOf = mediaHeads(context, endpoint.backend)
  const post = poster(pool, protocol)
  return {
    async answer(request, signal) {
      refuseOther(request, options)
      const heads = new Map<MediaDigest, MediumHead>()
      for (const part of mediaOf(request)) heads.set(part.media, await headOf(part))
      const typeOf = (part: MediaPart) => knownHead(heads, part.media).type
      const body = bodyOf(protocol.write(request, typeOf), heads, context)
      return withDeadline(signal, options, async deadline => protocol.read(await post(body, deadline), request))
    },
    close: () => pool.destroy(),
  }
}

function knownHead(heads: ReadonlyMap<MediaDigest, MediumHead>, digest: MediaDigest): MediumHead {
  const head = heads.get(digest)
  if (head === undefined) throw new Error(`internal error: medium ${digest} was not looked at`)
  return head
}

function refuseOther(request: ModelRequest, { endpoint, protocol }: ClientOptions): void {
  const { type, tools } = request.input
  const kind = mediaOf(request).find(part => !protocol.accepts.includes(part.type))?.type
  const what = type !== 'generate_until' ? type : tools !== undefined ? 'tools' : kind
  if (what !== undefined) throw impossible(`${endpoint.backend}: ${what} is not supported`)
}

function poster(pool: Pool, protocol: Protocol) {
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...protocol.headers }
  return async ({ content, length }: Body, signal: AbortSignal): Promise<ReceivedAnswer> => {
    const answer = await pool.request({
      path: protocol.path,
      method: 'POST',
      headers: { ...headers, 'content-length': String(length) },
      body: typeof content === 'string' ? content : Readable.from(content, { highWaterMark: 1 }),
      signal,
    })
    const text = await answer.body.text()
    if (answer.statusCode === 200) return { headers: answer.headers, text }
    throw protocol.failure({ status: answer.statusCode, headers: answer.headers, text })
  }
}

async function withDeadline(
  signal: AbortSignal,
  { timeoutMs, endpoint }: ClientOptions,
  work: (signal: AbortSignal) => Promise<ModelAnswer>,
): Promise<ModelAnswer> {
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
