import {
  digestOf,
  pageOf,
  startBatchServer,
  type BatchCall,
  type BatchReply,
  type FakeBatchServer,
} from './fake-batch-server.js'
import { completion } from './fake-openai.js'

type BatchStatus = 'validating' | 'failed' | 'in_progress' | 'finalizing' | 'completed' | 'expired' | 'cancelled'

/** A batch as the Batch API sends it. */
export interface OpenaiBatch {
  readonly id: string
  readonly object: 'batch'
  readonly endpoint: string
  errors: { readonly object: 'list'; readonly data: readonly object[] } | null
  readonly input_file_id: string
  readonly completion_window: '24h'
  status: BatchStatus
  output_file_id: string | null
  error_file_id: string | null
  readonly created_at: number
  readonly expires_at: number
  request_counts: { readonly total: number; completed: number; failed: number }
  readonly metadata: Readonly<Record<string, string>> | null
}

interface Line {
  readonly custom_id: string
  readonly method: string
  readonly url: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface FakeOpenaiBatches extends FakeBatchServer {
  readonly batches: readonly OpenaiBatch[]
  readonly files: ReadonlyMap<string, { readonly filename: string; readonly text: string }>
  /** Returns the state of a batch at each poll. By default it is complete. */
  progress: (batch: OpenaiBatch) => BatchStatus
  /** Returns the result of a request: the status and body of its answer, `expired`, or `missing`. */
  answer: (line: Line) => { readonly status: number; readonly body: unknown } | 'expired' | 'missing'
}

const answerTo = (body: unknown): object => completion(digestOf(body).slice(0, 16))

/**
 * A fake of OpenAI's Files, Batch and chat completions APIs that validates requests as strictly. Both ways give the same answer to the same
 * request, and both count it as billed.
 */
export async function startFakeOpenaiBatches(): Promise<FakeOpenaiBatches> {
  const batches: OpenaiBatch[] = []
  const files = new Map<string, { filename: string; text: string }>()
  const billed = new Map<string, number>()
  const bill = (body: unknown): void => void billed.set(digestOf(body), (billed.get(digestOf(body)) ?? 0) + 1)

  const routes: Readonly<Record<string, (call: BatchCall) => BatchReply>> = {
    'POST /v1/chat/completions'({ body }) {
      const request: unknown = JSON.parse(body.toString())
      bill(request)
      return { body: answerTo(request) }
    },
    'POST /v1/files'(call) {
      const form = formOf(call)
      if (form?.purpose !== 'batch') return refusal(400, 'purpose must be batch')
      const id = `file-${files.size + 1}`
      files.set(id, form)
      const { filename, text } = form
      return {
        body: { id, object: 'file', bytes: Buffer.byteLength(text), created_at: now(), filename, purpose: 'batch' },
      }
    },
    'POST /v1/batches'({ body }) {
      const asked = JSON.parse(body.toString()) as Record<string, unknown>
      const file = files.get(String(asked['input_file_id']))
      if (file === undefined) return refusal(400, `No such File object: ${String(asked['input_file_id'])}`)
      if (asked['completion_window'] !== '24h') return refusal(400, 'completion_window must be 24h')
      const lines = linesOf(file.text)
      const wrong = problemOf(lines, asked['endpoint'])
      const batch: OpenaiBatch = {
        id: `batch_${batches.length + 1}`,
        object: 'batch',
        endpoint: String(asked['endpoint']),
        errors: null,
        input_file_id: String(asked['input_file_id']),
        completion_window: '24h',
        status: 'validating',
        output_file_id: null,
        error_file_id: null,
        created_at: now(),
        expires_at: now() + 86_400,
        request_counts: { total: lines.length, completed: 0, failed: 0 },
        metadata: (asked['metadata'] ?? null) as Record<string, string> | null,
      }
      batches.push(batch)
      if (wrong === undefined) for (const line of lines) bill(line.body)
      else Object.assign(batch, { status: 'failed', errors: { object: 'list', data: [wrong] } })
      return { body: batch }
    },
    'GET /v1/batches': ({ query }) => ({
      body: {
        object: 'list',
        ...pageOf([...batches].reverse(), { after: query.get('after'), limit: query.get('limit') }),
      },
    }),
  }

  function look(id: string): BatchReply {
    const batch = batches.find(other => other.id === id)
    if (batch === undefined) return refusal(404, `No batch found with id '${id}'.`)
    if (['failed', 'completed', 'expired', 'cancelled'].includes(batch.status)) return { body: batch }
    batch.status = fake.progress(batch)
    if (['completed', 'expired', 'cancelled'].includes(batch.status)) writeResults(batch)
    return { body: batch }
  }

  function writeResults(batch: OpenaiBatch): void {
    const [good, bad]: [object[], object[]] = [[], []]
    // Results have another order than requests.
    for (const line of linesOf(files.get(batch.input_file_id)?.text ?? '').reverse()) {
      const outcome = fake.answer(line)
      if (outcome === 'missing') continue
      const result = { id: `batch_req_${line.custom_id}`, custom_id: line.custom_id }
      if (outcome === 'expired') {
        const error = {
          code: 'batch_expired',
          message: 'This request could not be executed before the completion window expired.',
        }
        bad.push({ ...result, response: null, error })
        continue
      }
      const { status, body } = outcome
      const response = { status_code: status, request_id: 'req_1', body }
      ;(status < 300 ? good : bad).push({ ...result, response, error: null })
    }
    const file = (lines: readonly object[], name: string): string | null => {
      if (lines.length === 0) return null
      files.set(`${batch.id}-${name}`, {
        filename: name,
        text: lines.map(line => `${JSON.stringify(line)}\n`).join(''),
      })
      return `${batch.id}-${name}`
    }
    batch.output_file_id = file(good, 'output')
    batch.error_file_id = file(bad, 'error')
    batch.request_counts = { ...batch.request_counts, completed: good.length, failed: bad.length }
  }

  const server = await startBatchServer(call => {
    if (call.headers['authorization'] === undefined) return refusal(401, "You didn't provide an API key.")
    const [, removed = ''] = /^DELETE \/v1\/files\/(.+)$/.exec(call.name) ?? []
    if (files.delete(removed)) return { body: { id: removed, object: 'file', deleted: true } }
    const [, file] = /^GET \/v1\/files\/(.+)\/content$/.exec(call.name) ?? []
    if (file !== undefined)
      return { body: files.get(file)?.text ?? '', headers: { 'content-type': 'application/binary' } }
    const [, batch] = /^GET \/v1\/batches\/(.+)$/.exec(call.name) ?? []
    return batch === undefined ? (routes[call.name]?.(call) ?? refusal(404, `Invalid URL (${call.name})`)) : look(batch)
  }, billed)
  const fake: FakeOpenaiBatches = Object.assign(server, {
    batches,
    files,
    progress: (): BatchStatus => 'completed',
    answer: ({ body }: Line) => ({ status: 200, body: answerTo(body) }),
  })
  return fake
}

const now = (): number => Math.floor(Date.now() / 1000)

const refusal = (status: number, message: string): BatchReply => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
})

/** Parses a form with a file (RFC 7578). */
function formOf({ headers, body }: BatchCall): { purpose: string; filename: string; text: string } | undefined {
  const [, boundary] = /^multipart\/form-data; boundary=(.+)$/.exec(String(headers['content-type'])) ?? []
  if (boundary === undefined) return undefined
  const parts = body.toString().split(`--${boundary}`)
  if (parts[0] !== '' || parts.at(-1) !== '--\r\n') return undefined
  const found = { purpose: '', filename: '', text: '' }
  for (const part of parts.slice(1, -1)) {
    const [head = '', ...rest] = part.slice(2).split('\r\n\r\n')
    const content = rest.join('\r\n\r\n').slice(0, -2)
    if (head.includes('name="purpose"')) found.purpose = content
    const [, filename] = /name="file"; filename="(.+?)"/.exec(head) ?? []
    if (filename !== undefined) Object.assign(found, { filename, text: content })
  }
  return found
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Line)

function problemOf(lines: readonly Line[], endpoint: unknown): object | undefined {
  const ids = new Set<string>()
  for (const [index, { custom_id: id, method, url }] of lines.entries()) {
    const line = index + 1
    if (ids.has(id))
      return { code: 'duplicate_custom_id', message: `The custom_id '${id}' is used twice.`, param: null, line }
    if (method !== 'POST' || url !== endpoint)
      return { code: 'mismatched_url', message: 'The URL must match the batch endpoint.', param: 'url', line }
    ids.add(id)
  }
  return undefined
}
