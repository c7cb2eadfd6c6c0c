import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { AnswerGate } from './answer-gate.js'
import { eventText } from './event-text.js'
import { answerCompletion, type FakeCompletions } from './fake-completions.js'

/** A fault of one request. */
export type Fault =
  | 'reset'
  | 'malformed'
  | 'truncated'
  | 'html'
  | 'error-in-200'
  | 'empty-choices'
  | 'content-filter'
  | 'stall'
  /** A stream that ends amid the answer. */
  | 'cut-stream'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }

export interface SeenRequest {
  /** Number of the request, counted from 0 in the order of arrival. */
  readonly index: number
  /** How many times this body arrived before. */
  readonly before: number
  readonly digest: string
  /** The body as it was sent, or empty if bodies are not kept. */
  readonly text: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface Stats {
  readonly requests: number
  readonly distinct: number
  readonly inFlight: number
  readonly maxInFlight: number
  readonly connections: number
  /** Number of open connections, without those that only read statistics. */
  readonly open: number
  readonly bytes: number
}

export interface FakeOptions {
  /** Milliseconds before each answer. */
  readonly latencyMs?: number
  /** How many requests are answered before the others wait for `allow`. By default, all. */
  readonly answers?: number
  readonly fault?: (request: SeenRequest) => Fault | undefined
  /** Returns the text of an answer, its whole body as an object, or the pieces of its stream. */
  readonly answer?: (request: SeenRequest) => string | object
  /** How `/completions` answers. By default, like a chat. */
  readonly completions?: FakeCompletions
  /** Whether bodies are kept, for tests that read them. */
  readonly keepBodies?: boolean
  readonly port?: number
}

export interface FakeOpenai {
  /** Address of the API, ending in `/v1`. */
  readonly url: string
  readonly seen: readonly SeenRequest[]
  stats(): Stats
  /** Allows more answers, the waiting requests first. */
  allow(answers: number): void
  close(): Promise<void>
}

/** The first sixteen hexadecimal digits of the body's digest, an answer that depends only on the request. */
export const answerOfDigest = ({ digest }: SeenRequest): string => digest.slice(0, 16)

/**
 * A chat completions server that counts requests and fails as configured. A request counts when its body is complete. `GET /stats` returns the
 * counts, `GET /log` the digests (as {@link answerOfDigest}) in the order of arrival, and `GET /allow/N` allows N more answers.
 */
export async function startFakeOpenai(options: FakeOptions = {}): Promise<FakeOpenai> {
  const counts = new Map<string, number>()
  const seen: SeenRequest[] = []
  const log: string[] = []
  const totals = { requests: 0, inFlight: 0, maxInFlight: 0, connections: 0, bytes: 0 }
  const clients = new Set<Socket>()
  const stats = (): Stats => ({ ...totals, distinct: counts.size, open: clients.size })
  const gate = new AnswerGate(options.answers)

  const server = createServer((request, response) => {
    const look = lookOf(request.url ?? '', { stats, log, gate })
    if (look !== undefined) {
      clients.delete(request.socket)
      return void response.end(JSON.stringify(look))
    }
    void readBody(request, options.keepBodies ?? true).then(body => {
      const { digest, text, bytes } = body
      const before = counts.get(digest) ?? 0
      counts.set(digest, before + 1)
      log.push(digest.slice(0, 16))
      totals.bytes += bytes
      totals.inFlight += 1
      totals.maxInFlight = Math.max(totals.maxInFlight, totals.inFlight)
      response.once('close', () => (totals.inFlight -= 1))
      const { url = '', headers } = request
      const one = { index: totals.requests++, before, digest, text, path: url, headers }
      if (options.keepBodies ?? true) seen.push(one)
      const reply = () => gate.pass(() => answer(response, one, options))
      if (options.latencyMs === undefined) reply()
      else setTimeout(reply, options.latencyMs)
    }, ignoreBrokenRequest)
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', socket => {
    totals.connections += 1
    clients.add(socket)
    socket.once('close', () => clients.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    seen,
    stats,
    allow: more => gate.allow(more),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Looked {
  readonly stats: () => Stats
  readonly log: readonly string[]
  readonly gate: AnswerGate
}

/** Returns the reply to a request for statistics. */
function lookOf(url: string, { stats, log, gate }: Looked): unknown {
  if (url === '/stats') return stats()
  if (url === '/log') return log
  const [, more] = /^\/allow\/(\w+)$/.exec(url) ?? []
  if (more === undefined) return undefined
  gate.allow(Number(more))
  return stats()
}

/** A client that sent half a request was killed or gave up. The request does not count. */
const ignoreBrokenRequest = () => undefined

async function readBody(request: IncomingMessage, keep: boolean) {
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
    if (keep) chunks.push(chunk)
  }
  return { digest: hash.digest('hex'), text: Buffer.concat(chunks).toString(), bytes }
}

/** @returns whether the client was still connected */
function answer(response: ServerResponse, request: SeenRequest, options: FakeOptions): boolean {
  if (response.destroyed) return false
  const fault = options.fault?.(request)
  if (fault !== undefined) misbehave(response, fault)
  else if (options.completions !== undefined && /(?<!\/chat)\/completions$/.test(request.path)) {
    const { status, body } = answerCompletion(request.text, options.completions)
    sendJson(response, status, body)
  } else sendContent(response, (options.answer ?? answerOfDigest)(request), request.text.includes('"stream":true'))
  return true
}

function sendContent(response: ServerResponse, content: string | object, isStream: boolean): void {
  if (Array.isArray(content)) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(eventText([...(content as readonly object[]), '[DONE]']))
  } else if (typeof content !== 'string') sendJson(response, 200, content)
  else if (isStream) sendStream(response, content)
  else sendJson(response, 200, completion(content))
}

/** Sends a chat completion in pieces of a few letters. */
function sendStream(response: ServerResponse, content: string): void {
  const chunk = (delta: object, finish: string | null = null) => ({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const pieces = content.match(/.{1,3}/gs) ?? []
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
  const deltas = pieces.map(piece => chunk({ content: piece }))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(
    eventText([chunk({ role: 'assistant' }), ...deltas, chunk({}, 'stop'), { choices: [], usage }, '[DONE]']),
  )
}

/** A chat completion in the API's format. */
export const completion = (content: string | null, finish = 'stop', message: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 0,
  model: 'fake',
  choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', content, ...message } }],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
})

/** A response in the format of the Responses API. */
export const openaiResponse = (text: string, fields: object = {}, before: readonly object[] = []): object => ({
  id: 'resp_1',
  object: 'response',
  created_at: 0,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'fake',
  output: [
    ...before,
    {
      id: 'msg_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
  usage: {
    input_tokens: 7,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 3,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 10,
  },
  ...fields,
})

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}

function misbehave(response: ServerResponse, fault: Fault): void {
  if (typeof fault === 'object') {
    const body = fault.body ?? { error: { message: `told to answer ${fault.status}`, code: null } }
    return sendJson(response, fault.status, body, fault.headers)
  }
  switch (fault) {
    case 'reset':
      return void response.socket?.resetAndDestroy()
    case 'malformed':
      return sendJson(response, 200, '{"choices": [{"mess')
    case 'truncated':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
      response.write('{"choices": [', () => response.socket?.destroy())
      return
    case 'html':
      return sendJson(response, 200, '<html>Gateway</html>', { 'content-type': 'text/html' })
    case 'error-in-200':
      return sendJson(response, 200, { error: { message: 'upstream went away', code: 503 } })
    case 'empty-choices':
      return sendJson(response, 200, { choices: [] })
    case 'content-filter':
      return sendJson(response, 200, completion('', 'content_filter'))
    case 'stall':
      return
    case 'cut-stream':
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(eventText([{ choices: [{ index: 0, delta: { content: 'half an ans' } }] }]))
      return
  }
}
