import { z } from 'zod'
import { canonicalJson, type Json } from '../../../../base/values/canonical-json.js'
import type { BatchClient, BatchResult, BatchStatus } from '../../batch/batch-client.js'
import { AttemptError } from '../../model.js'
import {
  clockSkewMs,
  maskedResult,
  newestFirst,
  openBatchCalls,
  parseBatch,
  parseLine,
  readId,
  type BatchRules,
  type StreamedBody,
} from '../batch/batch-calls.js'
import { entryWriter, type EntryWriter } from '../batch/entries.js'
import { type Endpoint, shownBaseUrl } from '../http/protocol/endpoint.js'
import { answerMask, shownText } from '../http/protocol/failure.js'
import { readReply } from '../http/protocol/read-reply.js'

interface OpenaiBatchRules extends BatchRules {
  /** The API call of each entry, as the provider names it: `/v1/chat/completions`. */
  readonly call: string
}

/** The field of a batch's metadata that holds this program's name for it. */
const nameField = 'pipeline_batch'

/**
 * OpenAI's Batch API: a file of requests, a batch made from it, and a file of results.
 *
 * See https://platform.openai.com/docs/api-reference/batch
 */
export function openaiBatchClient(rules: OpenaiBatchRules): BatchClient {
  const { endpoint, protocol } = rules
  const calls = openBatchCalls({ ...rules, headers: protocol.headers, failure: answer => protocol.failure(answer) })
  const entries = entryWriter({ ...rules, envelope: id => envelope(id, rules.call) })
  const batches = `${endpoint.path}/batches`
  return {
    address: shownBaseUrl(endpoint),
    ...(rules.shown && { show: rules.shown }),
    measure: entry => entries.measure(entry),
    async upload(draft, signal) {
      const body = await writeBatchForm(draft, entries)
      return readId(await calls.post(`${endpoint.path}/files`, body, signal), endpoint)
    },
    async submit({ name }, upload, signal) {
      const body = {
        input_file_id: upload,
        endpoint: rules.call,
        completion_window: '24h',
        metadata: { [nameField]: name },
      }
      return readId(await calls.post(batches, body, signal), endpoint)
    },
    async discard(upload, signal) {
      await calls.delete(`${endpoint.path}/files/${upload}`, signal)
    },
    cancelling: id =>
      `curl -X POST ${shownBaseUrl(endpoint)}/batches/${id}/cancel -H "Authorization: Bearer $${endpoint.keyVariable}"`,
    async find({ name, upload, since }, signal) {
      for await (const batch of newestFirst({
        calls,
        path: batches,
        cursor: 'after',
        parse: batchIn,
        endpoint,
        signal,
      })) {
        if (batch.created_at != null && batch.created_at * 1000 < since - clockSkewMs) break
        if (batch.metadata?.[nameField] === name || (upload !== undefined && batch.input_file_id === upload))
          return { id: batch.id }
      }
      return 'none'
    },
    status: async (id, signal) =>
      convertStatus(parseBatch(batchShape, await calls.get(`${batches}/${id}`, signal), endpoint), endpoint),
    async *results(id, signal) {
      const batch = parseBatch(batchShape, await calls.get(`${batches}/${id}`, signal), endpoint)
      for (const file of [batch.output_file_id, batch.error_file_id]) {
        if (file == null) continue
        for await (const line of calls.lines(`${endpoint.path}/files/${file}/content`, signal))
          yield maskedResult(parseResult(line, rules), endpoint)
      }
    },
    close: () => calls.close(),
  }
}

const envelope = (id: string, call: string) => ({
  before: `{"custom_id":${JSON.stringify(id)},"method":"POST","url":${JSON.stringify(call)},"body":`,
  after: '}\n',
})

async function writeBatchForm(draft: Parameters<NonNullable<BatchClient['upload']>>[0], entries: EntryWriter) {
  const { length, content } = await entries.write(draft, { open: '', between: '', close: '' })
  if (typeof content === 'string') throw new Error('internal error: a batch is not streamed')
  const file = { name: `pipeline-${draft.name}.jsonl`, type: 'application/jsonl', length, content }
  return multipartForm({ purpose: 'batch' }, file, draft.name) satisfies StreamedBody
}

const count = z.number().nullish()

const batchShape = z.object({
  id: z.string().min(1),
  status: z.string(),
  created_at: count,
  input_file_id: z.string().nullish(),
  output_file_id: z.string().nullish(),
  error_file_id: z.string().nullish(),
  request_counts: z.object({ completed: count, failed: count }).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  errors: z
    .object({
      data: z.array(z.object({ message: z.string().nullish(), line: count, code: z.string().nullish() })).nullish(),
    })
    .nullish(),
})

type Batch = z.output<typeof batchShape>

const batchIn = (value: unknown): Batch | undefined => batchShape.safeParse(value).data

const endedStates: ReadonlySet<string> = new Set(['completed', 'expired', 'cancelled'])

function convertStatus(batch: Batch, endpoint: Endpoint): BatchStatus {
  const { status, request_counts: counts } = batch
  const failed = counts?.failed ?? 0
  const numbers = { done: (counts?.completed ?? 0) + failed, failed }
  if (status === 'failed') {
    const isQueueFull = isOverQueue(batch)
    return {
      state: 'refused',
      reason: formatErrors(batch, endpoint),
      ...(isQueueFull ? { isQueueFull } : {}),
      ...numbers,
    }
  }
  if (!endedStates.has(status))
    return { state: 'working', ...(status === 'validating' ? { isChecking: true } : {}), ...numbers }
  return {
    state: 'ended',
    ...numbers,
    ...(status === 'completed' ? {} : { reason: status }),
    ...(status === 'expired' ? { isExpired: true } : {}),
  }
}

/** Tells whether the account's limit of enqueued tokens is reached. */
const isOverQueue = ({ errors }: Batch): boolean =>
  (errors?.data ?? []).some(
    ({ code, message }) => code === 'token_limit_exceeded' || /enqueued token limit/i.test(message ?? ''),
  )

/** Quotes the provider's first errors, each with its line in the file. */
function formatErrors({ errors }: Batch, endpoint: Endpoint): string {
  const said = (errors?.data ?? []).map(({ line, message, code }) => {
    const text = shownText(message ?? code ?? 'no message', endpoint)
    return line == null ? text : `line ${line}: ${text}`
  })
  const most = 3
  const more = said.length > most ? `; and ${said.length - most} more` : ''
  return said.length === 0 ? 'no reason was given' : said.slice(0, most).join('; ') + more
}

const lineShape = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.number(), body: z.unknown().optional() }).nullish(),
  error: z.object({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
})

function parseResult(line: string, { endpoint, protocol }: OpenaiBatchRules): BatchResult {
  const mask = answerMask(endpoint)
  const { custom_id: id, response, error } = parseLine(lineShape, line, endpoint)
  return {
    id,
    said: canonicalJson({ status: response?.status_code, body: response?.body, error } as Json),
    read(request) {
      if (response == null) throw withoutResponse(error?.code, shownText(error?.message ?? '', endpoint))
      const answer = { headers: {}, text: JSON.stringify(response.body ?? null) }
      const { status_code: status } = response
      if (status >= 200 && status < 300) return readReply(protocol, mask(answer), request)
      throw protocol.failure({ ...answer, status })
    },
  }
}

/** The failure of a request that was not processed: the batch expired or was cancelled, or the provider failed. */
const withoutResponse = (code: string | null | undefined, message: string): AttemptError =>
  new AttemptError(code === 'batch_expired' ? 'timeout' : 'server', [code, message].filter(Boolean).join(': '), {
    isRetryable: true,
  })

export interface FormFile {
  readonly name: string
  readonly type: string
  readonly length: number
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * Makes a form with one file. It is streamed, so the file is never completely in memory.
 *
 * See RFC 7578.
 *
 * @param token becomes the boundary, so the file must not contain it
 */
function multipartForm(fields: Readonly<Record<string, string>>, file: FormFile, token: string): StreamedBody {
  const boundary = `----pipeline-form-${token}`
  const part = (disposition: string, type = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n`
  const before = Buffer.from(
    Object.entries(fields)
      .map(([name, value]) => `${part(`name="${name}"`)}${value}\r\n`)
      .join('') + part(`name="file"; filename="${file.name}"`, `Content-Type: ${file.type}\r\n`),
  )
  const after = Buffer.from(`\r\n--${boundary}--\r\n`)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: before.length + file.length + after.length,
    content: (async function* () {
      yield before
      yield* file.content
      yield after
    })(),
  }
}
