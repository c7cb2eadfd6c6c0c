import { z } from 'zod'
import { canonicalJson, type Json } from '../../../../base/values/canonical-json.js'
import type { BatchDraft, BatchClient, BatchResult, BatchStatus, FoundBatch } from '../../batch/batch-client.js'
import { AttemptError } from '../../model.js'
import {
  clockSkewMs,
  maskedResult,
  newestFirst,
  openBatchCalls,
  parseBatch,
  parseLine,
  readId,
  type BatchCalls,
  type BatchRules,
} from '../batch/batch-calls.js'
import { entryWriter, type EntryWriter } from '../batch/entries.js'
import { readReply } from '../http/protocol/read-reply.js'
import { shownBaseUrl, type Endpoint } from '../http/protocol/endpoint.js'
import { answerMask } from '../http/protocol/failure.js'
import { errorStatus } from './failure.js'
import { wholeTurn } from './messages-protocol.js'

/**
 * Anthropic's Message Batches API.
 *
 * A batch cannot be given a name there. A batch that may have been created is searched among batches with as many
 * requests. It is recognised by the ids of its results, which exist once the batch has ended.
 *
 * See https://docs.anthropic.com/en/api/creating-message-batches
 */
export function anthropicBatchClient(rules: BatchRules): BatchClient {
  const { endpoint, protocol } = rules
  const calls = openBatchCalls({ ...rules, headers: protocol.headers, failure: answer => protocol.failure(answer) })
  const entries = entryWriter({ ...rules, envelope })
  const path = `${protocol.path}/batches`
  const read = async (id: string, signal: AbortSignal): Promise<Batch> =>
    parseBatch(batchShape, await calls.get(`${path}/${id}`, signal), endpoint)
  return {
    address: shownBaseUrl(endpoint),
    ...(rules.shown && { show: rules.shown }),
    measure: async entry => (await entries.measure(entry)) + 1,
    async submit(draft, _, signal) {
      return readId(await calls.post(path, await writeBatchBody(draft, entries), signal), endpoint)
    },
    cancelling: id =>
      `curl -X POST ${endpoint.origin}${path}/${id}/cancel -H "x-api-key: $${endpoint.keyVariable}" -H "anthropic-version: ${protocol.headers['anthropic-version'] ?? ''}"`,
    find: (wanted, signal) => find(wanted, { calls, path, endpoint, signal }),
    status: async (id, signal) => convertStatus(await read(id, signal)),
    async *results(id, signal) {
      for await (const line of calls.lines(`${path}/${id}/results`, signal))
        yield maskedResult(parseResult(line, rules), endpoint)
    },
    close: () => calls.close(),
  }
}

const envelope = (id: string) => ({ before: `{"custom_id":${JSON.stringify(id)},"params":`, after: '}' })

async function writeBatchBody(draft: BatchDraft, entries: EntryWriter) {
  const { length, content } = await entries.write(draft, { open: '{"requests":[', between: ',', close: ']}' })
  if (typeof content === 'string') throw new Error('internal error: a batch is not streamed')
  return { type: 'application/json', length, content }
}

const count = z.number().default(0)

const batchShape = z.object({
  id: z.string().min(1),
  processing_status: z.string(),
  created_at: z.string(),
  cancel_initiated_at: z.string().nullish(),
  archived_at: z.string().nullish(),
  request_counts: z.object({
    processing: count,
    succeeded: count,
    errored: count,
    canceled: count,
    expired: count,
  }),
})

type Batch = z.output<typeof batchShape>

const batchIn = (value: unknown): Batch | undefined => batchShape.safeParse(value).data

function convertStatus({ processing_status: status, cancel_initiated_at: cancelled, request_counts: counts }: Batch) {
  const { succeeded, errored, canceled, expired } = counts
  const failed = errored + canceled + expired
  return {
    state: status === 'ended' ? 'ended' : 'working',
    done: succeeded + failed,
    failed,
    ...(cancelled == null ? {} : { reason: 'cancelled' }),
  } satisfies BatchStatus
}

interface Search {
  readonly calls: BatchCalls
  readonly path: string
  readonly endpoint: Endpoint
  readonly signal: AbortSignal
}

async function find(
  { name, requests, since }: Parameters<BatchClient['find']>[0],
  search: Search,
): Promise<FoundBatch> {
  let isUnsure = false
  for await (const batch of newestFirst({ ...search, cursor: 'after_id', parse: batchIn })) {
    if (Date.parse(batch.created_at) < since - clockSkewMs) break
    const total = Object.values(batch.request_counts).reduce((sum, number) => sum + number, 0)
    if (total !== requests || batch.archived_at != null) continue
    if (batch.processing_status !== 'ended') isUnsure = true
    else if (await isNamed(batch, name, search)) return { id: batch.id }
  }
  return isUnsure ? 'unsure' : 'none'
}

/** Compares the first id, because all ids of a batch contain its name. */
async function isNamed({ id }: Batch, name: string, { calls, path, signal }: Search): Promise<boolean> {
  for await (const line of calls.lines(`${path}/${id}/results`, signal)) return line.includes(`"${name}-`)
  return false
}

const lineShape = z.object({
  custom_id: z.string(),
  result: z.object({ type: z.string(), message: z.unknown().optional(), error: z.unknown().optional() }),
})

function parseResult(line: string, { endpoint, protocol }: BatchRules): BatchResult {
  const { custom_id: id, result } = parseLine(lineShape, line, endpoint)
  const mask = answerMask(endpoint)
  return {
    id,
    said: canonicalJson(result as Json),
    read(request) {
      const answer = (value: unknown) => ({ headers: {}, text: JSON.stringify(value ?? null) })
      if (result.type === 'succeeded') return wholeTurn(readReply(protocol, mask(answer(result.message)), request))
      if (result.type === 'errored')
        throw protocol.failure({ ...answer(result.error), status: errorStatus(result.error) })
      const isExpired = result.type === 'expired'
      throw new AttemptError(isExpired ? 'timeout' : 'server', `the provider says: ${result.type}`, {
        isRetryable: true,
      })
    },
  }
}
