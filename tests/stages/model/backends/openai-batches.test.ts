import { expect, onTestFinished, test } from 'vitest'
import { EntryError } from '../../../../stages/model/batch/batch-client.js'
import type { ModelRequest } from '../../../../stages/model/model.js'
import { openaiResponses } from '../../../../stages/model/backends/openai-responses.js'
import { groq } from '../../../../stages/model/backends/openai/presets.js'
import { openai } from '../../../../stages/model/backends/openai.js'
import {
  batchName,
  draftOf,
  entriesOf,
  failure,
  openLane,
  outcomesOf,
  requestOf,
  signal,
  submit,
} from '../../../support/batch-lane-client.js'
import { startFakeOpenaiBatches } from '../../../support/fake-openai-batches.js'
import { completion, openaiResponse } from '../../../support/fake-openai.js'

const key = 'sk-very-secret-0123456789'
const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(500_000, 'ü')])
const requests = ['1 + 1?', 'Grüße', '3'].map(text => requestOf(text, { max_new_tokens: 16, until: ['\n'] }))

async function connect(args: Record<string, unknown> = {}) {
  const server = await startFakeOpenaiBatches()
  onTestFinished(() => server.close())
  const opened = await openLane(openai, { model: 'm', base_url: `${server.url}/v1`, ...args }, { OPENAI_API_KEY: key })
  return { ...opened, server }
}

const jsonOf = ({ body }: { readonly body: Buffer }): unknown => JSON.parse(body.toString())

test('uploads a file of requests and creates a batch by the protocol, with the key only in its header', async () => {
  const { lane, server } = await connect()
  const id = await submit(lane, requests)
  expect(id).toBe('batch_1')
  const [upload, create] = server.calls
  expect(upload).toMatchObject({ name: 'POST /v1/files', headers: { authorization: `Bearer ${key}` } })
  expect(upload!.headers['content-length']).toBe(String(upload!.body.length))
  expect(create).toMatchObject({ name: 'POST /v1/batches', headers: { 'content-type': 'application/json' } })
  expect(jsonOf(create!)).toEqual({
    input_file_id: 'file-1',
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
    metadata: { pipeline_batch: batchName },
  })
  const file = server.files.get('file-1')
  expect(file?.filename).toBe(`pipeline-${batchName}.jsonl`)
  expect(file?.text.endsWith('\n')).toBe(true)
  expect(
    file?.text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as unknown),
  ).toEqual(
    entriesOf(requests).map(({ id: custom, request }) => ({
      custom_id: custom,
      method: 'POST',
      url: '/v1/chat/completions',
      body: {
        model: 'm',
        max_tokens: 16,
        temperature: 0,
        stop: ['\n'],
        messages: [{ role: 'user', content: textOf(request) }],
      },
    })),
  )
  expect(Buffer.concat(server.calls.map(({ body }) => body)).includes(key)).toBe(false)
})

function textOf({ input }: ModelRequest): string {
  const [part] = input.messages[0]?.content ?? []
  return part?.type === 'text' ? part.text : ''
}

test('an entry has the size of its line and the same body as a single request, with media', async () => {
  const { lane, alone, addMedium, server } = await connect({ detail: 'high' })
  const media = await addMedium(png)
  const request = requestOf([
    { type: 'image', media },
    { type: 'text', text: 'What is it?' },
  ])
  const answer = await alone(request)
  const sent = server.calls.at(-1)!.body.toString()
  const id = await submit(lane, [request])
  const line = server.files.get('file-1')!.text
  expect(await lane.measure(entriesOf([request])[0]!)).toBe(Buffer.byteLength(line))
  expect(line.includes(sent)).toBe(true)
  await lane.status(id, signal)
  expect(await outcomesOf(lane, id, [request])).toEqual([answer])
})

test('returns the answers of single requests, in any order of results', async () => {
  const { lane, alone } = await connect()
  const id = await submit(lane, requests)
  expect(await lane.status(id, signal)).toEqual({ state: 'ended', done: 3, failed: 0 })
  const direct = []
  for (const request of requests) direct.push(await alone(request))
  expect(await outcomesOf(lane, id, requests)).toEqual(direct)
})

test.each(['validating', 'in_progress', 'finalizing'] as const)(
  'reports a batch that is %s as working',
  async status => {
    const { lane, server } = await connect()
    const id = await submit(lane, requests)
    server.progress = () => status
    expect(await lane.status(id, signal)).toMatchObject({ state: 'working', done: 0, failed: 0 })
  },
)

test('each result is an answer or a failure of its own class', async () => {
  const { lane, server } = await connect()
  const asked = ['a', 'b', 'c', 'd', 'e', 'f'].map(text => requestOf(text))
  const id = await submit(lane, asked)
  const outcomes = new Map<string, ReturnType<typeof server.answer>>([
    ['a', { status: 200, body: completion('fine') }],
    ['b', { status: 400, body: { error: { message: 'too long', code: 'context_length_exceeded' } } }],
    ['c', 'expired'],
    ['d', 'missing'],
    ['e', { status: 200, body: completion('', 'content_filter') }],
    ['f', { status: 503, body: { error: { message: 'overloaded' } } }],
  ])
  server.progress = () => 'expired'
  server.answer = ({ body }) => outcomes.get((body['messages'] as { content: string }[])[0]!.content)!
  expect(await lane.status(id, signal)).toEqual({
    state: 'ended',
    done: 5,
    failed: 3,
    reason: 'expired',
    isExpired: true,
  })
  expect(await outcomesOf(lane, id, asked)).toMatchObject([
    { body: { text: 'fine' } },
    { class: 'invalid_request', message: '400 too long' },
    {
      class: 'timeout',
      message: expect.stringContaining('batch_expired: This request could not be executed') as string,
    },
    undefined,
    { class: 'refused' },
    { class: 'server', message: '503 overloaded' },
  ])
})

test('does not keep a key that results contain', async () => {
  const { lane, server } = await connect()
  const asked = ['a', 'b'].map(text => requestOf(text))
  server.answer = ({ body }) =>
    JSON.stringify(body).includes('"a"')
      ? { status: 200, body: completion(`the key is ${key}`) }
      : { status: 400, body: { error: { message: `bad key ${key}` } } }
  const id = await submit(lane, asked)
  await lane.status(id, signal)
  expect(await outcomesOf(lane, id, asked)).toMatchObject([
    { body: { text: 'the key is ***' } },
    { message: '400 bad key ***' },
  ])
})

test('reports a rejected file in the provider’s words, line by line', async () => {
  const { lane } = await connect()
  const draft = draftOf(requests)
  const twice = {
    ...draft,
    async *entries() {
      yield* draft.entries()
      yield* draft.entries()
    },
  }
  const id = await lane.submit(twice, await lane.upload!(twice, signal), signal)
  expect(await lane.status(id, signal)).toEqual({
    state: 'refused',
    done: 0,
    failed: 0,
    reason: `line 4: The custom_id '${entriesOf(requests)[0]!.id}' is used twice.`,
  })
})

test('finds a batch that may have been created by its name or file, among many others', async () => {
  const { lane, server } = await connect()
  const since = Date.now()
  const wanted = { name: batchName, requests: 3, since, upload: 'file-1' }
  expect(await lane.find(wanted, signal)).toBe('none')
  const id = await submit(lane, requests)
  for (let other = 0; other < 150; other++) {
    Object.assign(server.batches, {
      [other + 1]: { ...server.batches[0]!, id: `other_${other}`, metadata: null, input_file_id: 'x' },
    })
  }
  expect(await lane.find({ ...wanted, upload: undefined }, signal)).toEqual({ id })
  expect(await lane.find({ ...wanted, name: 'ffffffffffff' }, signal)).toEqual({ id })
  expect(await lane.find({ ...wanted, name: 'ffffffffffff', upload: undefined }, signal)).toBe('none')
  expect(await lane.find({ ...wanted, since: since + 3_600_000 }, signal)).toBe('none')
})

test('names a damaged medium before the upload is complete', async () => {
  const { lane, addMedium, damage, server } = await connect()
  const [sound, broken] = [await addMedium(png), await addMedium(Buffer.concat([png, Buffer.from('2')]))]
  const asked = [sound, broken].map(media => requestOf([{ type: 'image', media }]))
  await damage(broken)
  const error = await failure(submit(lane, asked))
  expect(error).toBeInstanceOf(EntryError)
  expect(error).toMatchObject({ id: entriesOf(asked)[1]!.id, cause: { class: 'media' } })
  expect(server.calls).toEqual([])
})

test.each([
  [{ status: 401, body: { error: { message: `bad key ${key}` } } }, 'invalid_request', false],
  [{ status: 429, headers: { 'retry-after': '7' }, body: { error: { message: 'busy' } } }, 'rate_limited', true],
  [{ status: 500, body: { error: { message: 'oops' } } }, 'server', true],
  ['drop' as const, 'server', true],
])('classes an error response as a failure, without the key (%o)', async (reply, name, isRetryable) => {
  const { lane, server } = await connect()
  server.interference = { arriving: () => reply }
  const error = await failure(submit(lane, requests))
  expect(error).toMatchObject({ class: name, isRetryable })
  expect(String(error)).not.toContain(key)
})

test('the Responses API and OpenAI-compatible providers share the same batches', async () => {
  const server = await startFakeOpenaiBatches()
  onTestFinished(() => server.close())
  server.answer = () => ({ status: 200, body: openaiResponse('fine') })
  const args = { model: 'm', base_url: `${server.url}/v1` }
  const { lane } = await openLane(openaiResponses, args, { OPENAI_API_KEY: key })
  const id = await submit(lane, [requestOf('Hi')])
  expect(JSON.parse(server.files.get('file-1')!.text)).toMatchObject({
    url: '/v1/responses',
    body: { model: 'm', input: [{ role: 'user', content: 'Hi' }] },
  })
  await lane.status(id, signal)
  expect(await outcomesOf(lane, id, [requestOf('Hi')])).toMatchObject([{ body: { text: 'fine' } }])
  const groqLane = await openLane(groq, args, { GROQ_API_KEY: key })
  expect(await submit(groqLane.lane, [requestOf('Hi')])).toBe('batch_2')
})

test('distinguishes a full queue of the account from other rejections', async () => {
  const { lane, server } = await connect()
  const id = await submit(lane, requests)
  const message = 'Enqueued token limit reached for m in organization o. Limit: 90,000 enqueued tokens.'
  server.progress = batch => {
    batch.errors = { object: 'list', data: [{ code: 'token_limit_exceeded', message, param: null, line: null }] }
    return 'failed'
  }
  expect(await lane.status(id, signal)).toMatchObject({ state: 'refused', isQueueFull: true, reason: message })
})

test('uploaded requests can be removed, and the command that cancels a batch contains no key', async () => {
  const { lane, server } = await connect()
  const upload = await lane.upload!(draftOf(requests), signal)
  await lane.discard!(upload, signal)
  expect(server.files.size).toBe(0)
  expect(lane.cancelling!('batch_1')).toBe(
    `curl -X POST ${server.url}/v1/batches/batch_1/cancel -H "Authorization: Bearer $OPENAI_API_KEY"`,
  )
})
