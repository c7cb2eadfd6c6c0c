import { claudeError, claudeMessage } from './fake-anthropic.js'
import {
  digestOf,
  pageOf,
  startBatchServer,
  type BatchCall,
  type BatchReply,
  type FakeBatchServer,
} from './fake-batch-server.js'

/** A batch as the Message Batches API sends it. */
export interface AnthropicBatch {
  readonly id: string
  readonly type: 'message_batch'
  processing_status: 'in_progress' | 'canceling' | 'ended'
  request_counts: { processing: number; succeeded: number; errored: number; canceled: number; expired: number }
  readonly created_at: string
  readonly expires_at: string
  ended_at: string | null
  archived_at: string | null
  cancel_initiated_at: string | null
  results_url: string | null
}

interface Entry {
  readonly custom_id: string
  readonly params: Readonly<Record<string, unknown>>
}

type Result =
  | { readonly type: 'succeeded'; readonly message: object }
  | { readonly type: 'errored'; readonly error: object }
  | { readonly type: 'canceled' | 'expired' }

export interface FakeAnthropicBatches extends FakeBatchServer {
  readonly batches: readonly AnthropicBatch[]
  readonly entries: ReadonlyMap<string, readonly Entry[]>
  /** Returns whether a batch has ended, at each poll. By default it ends at once. */
  hasEnded: (batch: AnthropicBatch) => boolean
  answer: (entry: Entry) => Result
  /** Adds a batch of another user of the account. */
  addForeign(ids: readonly string[], hasEnded: boolean): AnthropicBatch
}

const answerTo = (params: unknown): object => claudeMessage(digestOf(params).slice(0, 16))

/**
 * A fake of Anthropic's Message Batches and Messages APIs that validates requests as strictly. Both give the same answer to the same request, and
 * both count it as billed.
 */
export async function startFakeAnthropicBatches(): Promise<FakeAnthropicBatches> {
  const batches: AnthropicBatch[] = []
  const entries = new Map<string, readonly Entry[]>()
  const billed = new Map<string, number>()
  const bill = (params: unknown): void => void billed.set(digestOf(params), (billed.get(digestOf(params)) ?? 0) + 1)

  function add(requests: readonly Entry[]): AnthropicBatch {
    const batch: AnthropicBatch = {
      id: `msgbatch_${batches.length + 1}`,
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: { processing: requests.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      created_at: new Date().toISOString(),
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      ended_at: null,
      archived_at: null,
      cancel_initiated_at: null,
      results_url: null,
    }
    batches.push(batch)
    entries.set(batch.id, requests)
    return batch
  }

  function end(batch: AnthropicBatch): void {
    const counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 }
    for (const entry of entries.get(batch.id) ?? []) counts[fake.answer(entry).type] += 1
    Object.assign(batch, {
      processing_status: 'ended',
      request_counts: counts,
      ended_at: new Date().toISOString(),
      // A client that follows this address sends the key to another server.
      results_url: `http://127.0.0.1:1/v1/messages/batches/${batch.id}/results`,
    })
  }

  const look = (batch: AnthropicBatch): AnthropicBatch => {
    if (batch.processing_status !== 'ended' && fake.hasEnded(batch)) end(batch)
    return batch
  }

  const routes: Readonly<Record<string, (call: BatchCall) => BatchReply>> = {
    'POST /v1/messages'({ body }) {
      const params: unknown = JSON.parse(body.toString())
      bill(params)
      return { body: answerTo(params) }
    },
    'POST /v1/messages/batches'({ body }) {
      const { requests } = JSON.parse(body.toString()) as { requests: readonly Entry[] }
      const ids = new Set(requests.map(({ custom_id: id }) => id))
      if (ids.size < requests.length) return refusal(400, 'requests: custom_id must be unique')
      if ([...ids].some(id => !/^[a-zA-Z0-9_-]{1,64}$/.test(id)))
        return refusal(400, 'requests.0.custom_id: String should match pattern')
      for (const { params } of requests) bill(params)
      return { body: add(requests) }
    },
    'GET /v1/messages/batches': ({ query }) => ({
      body: pageOf([...batches].reverse().map(look), { after: query.get('after_id'), limit: query.get('limit') }),
    }),
  }

  const server = await startBatchServer(call => {
    if (call.headers['x-api-key'] === undefined) return refusal(401, 'x-api-key header is required')
    if (call.headers['anthropic-version'] !== '2023-06-01') return refusal(400, 'anthropic-version: header is required')
    const [, id, results] = /^GET \/v1\/messages\/batches\/(\w+)(\/results)?$/.exec(call.name) ?? []
    if (id === undefined) return routes[call.name]?.(call) ?? refusal(404, 'Not Found')
    const batch = batches.find(other => other.id === id)
    if (batch === undefined) return refusal(404, `Could not find message batch with id ${id}`)
    if (results === undefined) return { body: look(batch) }
    const lines = [...(entries.get(id) ?? [])]
      .reverse()
      .map(entry => ({ custom_id: entry.custom_id, result: fake.answer(entry) }))
    return {
      body: lines.map(line => `${JSON.stringify(line)}\n`).join(''),
      headers: { 'content-type': 'application/x-jsonl' },
    }
  }, billed)
  const fake: FakeAnthropicBatches = Object.assign(server, {
    batches,
    entries,
    hasEnded: () => true,
    answer: ({ params }: Entry): Result => ({ type: 'succeeded', message: answerTo(params) }),
    addForeign(ids: readonly string[], hasEnded: boolean) {
      const batch = add(ids.map(id => ({ custom_id: id, params: {} })))
      if (hasEnded) end(batch)
      return batch
    },
  })
  return fake
}

const refusal = (status: number, message: string): BatchReply => ({
  status,
  body: claudeError(
    status === 404 ? 'not_found_error' : status === 401 ? 'authentication_error' : 'invalid_request_error',
    message,
  ),
})
