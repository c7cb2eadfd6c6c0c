import { Readable } from 'node:stream'
import { Pool } from 'undici'
import type { MediaDigest } from '../../../../cache/digest.js'
import type { MediaPart } from '../../../../cache/records.js'
import {
  AttemptError,
  type BackendContext,
  type Model,
  type ModelAnswer,
  type ModelRequest,
} from '../../define-backend.js'
import { bodyOf, mediaHeads, mediaOf, type Body, type MediumHead } from './body.js'
import { parseAnswer } from './chat-answer.js'
import { chatRequest, type ChatRules } from './chat-request.js'
import { shownBaseUrl, type Endpoint } from './endpoint.js'
import { answerFailure, connectionFailure } from './failure.js'

export interface ClientOptions {
  readonly endpoint: Endpoint
  readonly rules: ChatRules
  /** Milliseconds for one attempt, from sending to the last byte. */
  readonly timeoutMs: number
  readonly context: BackendContext
}

const longestAnswer = 64 * 1024 * 1024

/**
 * A chat client straight on undici: the official SDK on top of it costs four times as much time a request.
 *
 * Sockets are as many as requests are under way, and reused.
 */
export function openClient(options: ClientOptions): Model {
  const { endpoint, rules, context } = options
  // One deadline of our own instead of undici's: a long generation is silent for minutes before its first byte.
  const pool = new Pool(endpoint.origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: longestAnswer,
    connections: context.concurrency ?? null,
  })
  const headOf = mediaHeads(context)
  const post = poster(pool, endpoint)
  return {
    async answer(request, signal) {
      refuseOther(request)
      const heads = new Map<MediaDigest, MediumHead>()
      for (const part of mediaOf(request)) heads.set(part.media, await headOf(part))
      const typeOf = (part: MediaPart) => knownHead(heads, part.media).type
      const body = bodyOf(chatRequest(request, rules, typeOf), heads, context)
      return withDeadline(signal, options, async deadline => parseAnswer(await post(body, deadline), request, endpoint))
    },
    close: () => pool.destroy(),
  }
}

function knownHead(heads: ReadonlyMap<MediaDigest, MediumHead>, digest: MediaDigest): MediumHead {
  const head = heads.get(digest)
  if (head === undefined) throw new Error(`internal error: medium ${digest} was not looked at`)
  return head
}

function refuseOther({ input }: ModelRequest): void {
  const what = input.type !== 'generate_until' ? input.type : input.tools !== undefined ? 'tools' : undefined
  if (what === undefined) return
  throw new AttemptError('invalid_request', `openai: ${what} is not supported`, { isRetryable: false })
}

function poster(pool: Pool, endpoint: Endpoint) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
  }
  const path = `${endpoint.path}/chat/completions`
  return async ({ content, length }: Body, signal: AbortSignal) => {
    const answer = await pool.request({
      path,
      method: 'POST',
      headers: { ...headers, 'content-length': String(length) },
      body: typeof content === 'string' ? content : Readable.from(content, { highWaterMark: 1 }),
      signal,
    })
    const text = await answer.body.text()
    if (answer.statusCode === 200) return { headers: answer.headers, text }
    throw answerFailure({ status: answer.statusCode, headers: answer.headers, text }, endpoint)
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
