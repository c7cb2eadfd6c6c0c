import { expect, onTestFinished, test } from 'vitest'
import { anthropic } from '../../../../stages/model/backends/anthropic.js'
import {
  batchName,
  entriesOf,
  failure,
  openLane,
  outcomesOf,
  requestOf,
  signal,
  submit,
} from '../../../support/batch-lane-client.js'
import { claudeError, claudeMessage } from '../../../support/fake-anthropic.js'
import { startFakeAnthropicBatches } from '../../../support/fake-anthropic-batches.js'

const key = 'sk-ant-very-secret-0123456789'
const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(500_000, 'ü')])
const requests = ['1 + 1?', 'Grüße', '3'].map(text => requestOf(text, { max_new_tokens: 16 }))

async function connect() {
  const server = await startFakeAnthropicBatches()
  onTestFinished(() => server.close())
  const opened = await openLane(
    anthropic,
    { model: 'claude-sonnet-4-5', base_url: server.url },
    { ANTHROPIC_API_KEY: key },
  )
  return { ...opened, server }
}

test('a batch follows the protocol, with the key only in its header', async () => {
  const { lane, server } = await connect()
  expect(await submit(lane, requests)).toBe('msgbatch_1')
  const [create] = server.calls
  expect(create).toMatchObject({
    name: 'POST /v1/messages/batches',
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
  })
  expect(create!.headers['content-length']).toBe(String(create!.body.length))
  expect(JSON.parse(create!.body.toString())).toEqual({
    requests: ['1 + 1?', 'Grüße', '3'].map((content, index) => ({
      custom_id: entriesOf(requests)[index]!.id,
      params: { model: 'claude-sonnet-4-5', max_tokens: 16, temperature: 0, messages: [{ role: 'user', content }] },
    })),
  })
  expect(create!.body.includes(key)).toBe(false)
})

test('an entry contains the same body as a single request, and gets the same answer', async () => {
  const { lane, alone, addMedium, server } = await connect()
  const request = requestOf([
    { type: 'image', media: await addMedium(png) },
    { type: 'text', text: 'What is it?' },
  ])
  const answer = await alone(request)
  const sent = server.calls.at(-1)!.body.toString()
  const id = await submit(lane, [request])
  const body = server.calls.at(-1)!.body.toString()
  expect(body.includes(`"params":${sent}`)).toBe(true)
  expect(await lane.measure(entriesOf([request])[0]!)).toBe(Buffer.byteLength(body) - '{"requests":[]}'.length + 1)
  expect(await lane.status(id, signal)).toEqual({ state: 'ended', done: 1, failed: 0 })
  expect(await outcomesOf(lane, id, [request])).toEqual([answer])
})

test('each result is an answer or a failure of its own class, and the key is not sent elsewhere', async () => {
  const { lane, server } = await connect()
  const asked = ['a', 'b', 'c', 'd', 'e'].map(text => requestOf(text))
  const outcomes = new Map<string, ReturnType<typeof server.answer>>([
    ['a', { type: 'succeeded', message: claudeMessage('fine') }],
    ['b', { type: 'errored', error: claudeError('invalid_request_error', 'too long') }],
    ['c', { type: 'expired' }],
    ['d', { type: 'canceled' }],
    ['e', { type: 'errored', error: claudeError('overloaded_error', 'busy') }],
  ])
  server.answer = ({ params }) => outcomes.get((params['messages'] as { content: string }[])[0]!.content)!
  const id = await submit(lane, asked)
  expect(await lane.status(id, signal)).toEqual({ state: 'ended', done: 5, failed: 4 })
  expect(await outcomesOf(lane, id, asked)).toMatchObject([
    { body: { text: 'fine', finishReason: 'stop' }, usage: { inputTokens: 7, outputTokens: 3 } },
    { class: 'invalid_request', message: '400 too long' },
    { class: 'timeout', message: 'the provider says: expired' },
    { class: 'server', message: 'the provider says: canceled' },
    { class: 'server', message: '529 busy' },
  ])
})

test('a batch in progress is reported as working', async () => {
  const { lane, server } = await connect()
  server.hasEnded = () => false
  const id = await submit(lane, requests)
  expect(await lane.status(id, signal)).toEqual({ state: 'working', done: 0, failed: 0 })
})

test('recognizes a batch that may have been created by the ids of its results, once they exist', async () => {
  const { lane, server } = await connect()
  const wanted = { name: batchName, requests: 3, since: Date.now() }
  expect(await lane.find(wanted, signal)).toBe('none')
  server.hasEnded = () => false
  server.addForeign(['x-1', 'x-2', 'x-3'], true)
  server.addForeign(['y-1', 'y-2'], false)
  expect(await lane.find(wanted, signal)).toBe('none')
  const id = await submit(lane, requests)
  for (let other = 0; other < 120; other++) server.addForeign(['z-1'], true)
  expect(await lane.find(wanted, signal)).toBe('unsure')
  server.hasEnded = ({ id: other }) => other === id
  expect(await lane.find(wanted, signal)).toEqual({ id })
  expect(await lane.find({ ...wanted, name: 'ffffffffffff' }, signal)).toBe('none')
  expect(await lane.find({ ...wanted, since: Date.now() + 3_600_000 }, signal)).toBe('none')
})

test.each([
  [{ status: 401, body: claudeError('authentication_error', `bad key ${key}`) }, 'invalid_request', false],
  [{ status: 529, body: claudeError('overloaded_error') }, 'server', true],
  ['drop' as const, 'server', true],
])('classes an error response as a failure, without the key (%o)', async (reply, name, isRetryable) => {
  const { lane, server } = await connect()
  server.interference = { arriving: () => reply }
  const error = await failure(submit(lane, requests))
  expect(error).toMatchObject({ class: name, isRetryable })
  expect(String(error)).not.toContain(key)
})

test('the command that cancels a batch contains no key', async () => {
  const { lane, server } = await connect()
  expect(lane.cancelling!('msgbatch_1')).toBe(
    `curl -X POST ${server.url}/v1/messages/batches/msgbatch_1/cancel -H "x-api-key: $ANTHROPIC_API_KEY" -H "anthropic-version: 2023-06-01"`,
  )
})
