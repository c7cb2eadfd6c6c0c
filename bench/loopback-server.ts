/**
 * A chat server on this machine, in a process of its own. Its first argument is JSON with a kind of server and its parameters. It reads requests
 * like any API, and answers equal requests equally. It prints its port. `GET /stats` returns the requests and bytes since the last call, and `GET
 * /log` when each request was answered or rate limited.
 */
import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerKind } from './loopback.js'
import { busySlots, fixedWindow, tokenBucket, unlimited, type Reply, type SimulatedServer } from './server-models.js'
import { seededRandom } from './seeded-random.js'

const kind = JSON.parse(process.argv[2] ?? '{}') as ServerKind
const random = seededRandom(1)
const log: [at: number, status: number][] = []
let requests = 0
let bytes = 0
let startedAt: number | undefined

function model(): SimulatedServer {
  switch (kind.kind) {
    case 'steady':
      return unlimited(() => kind.latencyMs)
    case 'heavy-tail':
      return unlimited(() => kind.medianMs * Math.exp(normal() * tailSigma))
    case 'rate-limit': {
      const { perSecond, burst } = kind
      const common = { latency: () => 50 + 150 * random(), retryAfter: 'seconds' } as const
      return burst === undefined
        ? fixedWindow({ ...common, limit: () => perSecond, windowMs: 1_000 })
        : tokenBucket({ ...common, rate: () => perSecond, burst })
    }
    case 'capacity': {
      const slots = (now: number): number =>
        kind.slots[Math.min(kind.slots.length - 1, Math.floor(now / kind.eachMs))] ?? 1
      return busySlots({ latency: () => kind.latencyMs, retryAfter: 'seconds', slots })
    }
  }
}

/** The 99th percentile is twenty times the median. */
const tailSigma = Math.log(20) / 2.326

const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

const receive = model()

const workMs = kind.kind === 'steady' ? (kind.workMs ?? 0) : 0

function workFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Computes the answer from a request's body. */
function answer(body: Buffer): string {
  const { model: name } = JSON.parse(body.toString('utf8')) as { readonly model: string }
  if (workMs > 0) workFor(workMs)
  const digest = createHash('sha256').update(body).digest('hex')
  return JSON.stringify({
    id: `bench-${digest.slice(0, 12)}`,
    object: 'chat.completion',
    created: 0,
    model: name,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: digest.slice(0, 4) } }],
    usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 },
  })
}

function reply(response: ServerResponse, body: Buffer, { now, told }: { now: number; told: Reply }): void {
  const status = told.type === 'answered' ? 200 : told.type === 'rate_limited' ? 429 : 500
  log.push([now, status])
  const text = told.type === 'answered' ? answer(body) : '{"error":{"message":"too many"}}'
  const retryAfter = told.type === 'rate_limited' ? told.retryAfter : undefined
  const asked = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter / 1_000) }
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length, ...asked })
  response.end(text)
}

function later(ms: number, action: () => void): void {
  if (ms > 0) setTimeout(action, ms)
  else action()
}

const server = createServer((request, response) => {
  if (request.url === '/stats') {
    response.end(JSON.stringify({ requests, bytes }))
    requests = bytes = 0
    return
  }
  if (request.url === '/log') {
    response.end(JSON.stringify(log.splice(0)))
    startedAt = undefined
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    chunks.push(chunk)
  })
  request.on('end', () => {
    requests += 1
    const body = Buffer.concat(chunks)
    const start = (startedAt ??= performance.now())
    const now = (): number => performance.now() - start
    receive({
      now: now(),
      later: (ms, action) => later(ms, () => action(now())),
      reply: (ms, what) => later(ms, () => reply(response, body, { now: now(), told: what })),
    })
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
