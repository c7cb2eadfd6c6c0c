import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { AnswerGate } from './answer-gate.js'
import { eventText } from './event-text.js'
import { answerCompletion, type FakeCompletions } from './fake-completions.js'

/** What goes wrong with one request. */
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
  /** Counts from 0, in the order of arrival. */
  readonly index: number
  /** How often this very body came before. */
  readonly before: number
  readonly digest: string
  /** As sent; empty where bodies are not kept. */
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
  /** Connections that are open, but for those of whoever only looks. */
  readonly open: number
  readonly bytes: number
}

export interface FakeOptions {
  /** Milliseconds before each answer. */
  readonly latencyMs?: number
  /** How many requests are answered before the others wait to be allowed; all, where it is absent. */
  readonly answers?: number
  readonly fault?: (request: SeenRequest) => Fault | undefined
  /** The text of an answer, or the whole body of it as an object. */
  readonly answer?: (request: SeenRequest) => string | object
  /** How `/completions` answers; as a chat where it is absent. */
  readonly completions?: FakeCompletions
  /** Whether bodies are kept, for tests that look at them. */
  readonly keepBodies?: boolean
  readonly port?: number
}

export interface FakeOpenai {
  /** Where the API begins, ending in `/v1`. */
  readonly url: string
  readonly seen: readonly SeenRequest[]
  stats(): Stats
  /** From now on answers so many more, those that wait first. */
  allow(answers: number): void
  close(): Promise<void>
}

/** The first sixteen hexadecimal digits of the body's digest: an answer that the request alone decides. */
export const answerOfDigest = ({ digest }: SeenRequest): string => digest.slice(0, 16)

/**
 * A server that speaks chat completions, counts what it is asked, and fails as it is told. A request counts once its body
 * is whole. `GET /stats` tells what it counted, `GET /log` the digests (as {@link answerOfDigest}) in the order of arrival;
 * `GET /allow/N` lets so many more be answered.
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

/** What whoever looks, and asks for no answer, is told. */
function lookOf(url: string, { stats, log, gate }: Looked): unknown {
  if (url === '/stats') return stats()
  if (url === '/log') return log
  const [, more] = /^\/allow\/(\w+)$/.exec(url) ?? []
  if (more === undefined) return undefined
  gate.allow(Number(more))
  return stats()
}

/** Whoever sent half a request was killed or gave up: it was never asked. */
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

/** @returns whether anybody was there to be answered */
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
  if (typeof content !== 'string') sendJson(response, 200, content)
  else if (isStream) sendStream(response, content)
  else sendJson(response, 200, completion(content))
}

/** A chat completion piece by piece, a few letters each. */
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

/** A chat completion as servers send it. */
export const completion = (content: string | null, finish = 'stop', message: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 0,
  model: 'fake',
  choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', content, ...message } }],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
})

/** A response as the Responses API sends it. */
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
