/** Logs of Inspect whose samples ended early, and numbers beside the mean: read, and written again. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import type { Aggregate, JsonObject } from '../../../cache/records.js'
import type { Sample, Store } from '../../../cache/store.js'
import { landLog } from '../../../src/exchange/land-log.js'
import { openZip } from '../../../src/exchange/read/zip-entries.js'
import { findReader } from '../../../src/exchange/readers.js'
import { writeLogs } from '../../../src/exchange/write/write-logs.js'
import { temporaryFolder, temporaryStore } from '../../support/store.js'

const assistant = (content: string): JsonObject => ({ role: 'assistant', content })
const user = (content: string): JsonObject => ({ role: 'user', content })

/** A sample that was scored by `match`, unless `more` says otherwise. */
const sample = (id: number, more: JsonObject): JsonObject => ({
  id,
  epoch: 1,
  input: 'Which?',
  target: 'a',
  messages: [user('Which?')],
  output: { model: 'm', choices: [] },
  scores: { match: { value: 'C', answer: 'a' } },
  ...more,
})

const score = (name: string, metrics: Readonly<Record<string, number>>, more: JsonObject = {}): JsonObject => ({
  name,
  scorer: name,
  scored_samples: 2,
  metrics: Object.fromEntries(Object.entries(metrics).map(([metric, value]) => [metric, { name: metric, value }])),
  ...more,
})

async function imported(samples: readonly JsonObject[], scores: readonly JsonObject[] = []) {
  const file = join(await temporaryFolder(), 'log.json')
  const log = {
    version: 2,
    status: 'success',
    eval: {
      task: 'letters',
      model: 'mock/m',
      created: '2026-11-20T10:00:00+00:00',
      config: { epochs: 1 },
      dataset: {},
    },
    results: { scores },
    samples,
  }
  await writeFile(file, JSON.stringify(log, undefined, 2))
  return landed(file)
}

async function landed(file: string) {
  const store = (await temporaryStore()) as Store & PortableStore
  const reader = await findReader(file)
  if (reader === undefined) throw new Error('no reader')
  const [first] = await landLog(store, await reader.open(file))
  if (first === undefined) throw new Error('no run')
  const { run } = first.outcome
  const judgement = (await store.judgements.list(run)).at(-1)
  const samples: Sample[] = []
  for await (const one of store.judgements.samples(run, judgement)) samples.push(one)
  return { store, run, judgement, samples, notes: first.notes, aggregates: judgement?.aggregates ?? [] }
}

const endOf = ({ items: [item], score: scored }: Sample) => ({
  text: item?.response?.body.text,
  finish: item?.response?.body.rawFinishReason,
  failure: item?.failure?.message,
  score: scored?.values['match'],
})

test.each([
  ['message', [user('Which?'), assistant('It is a.'), user('Sure?')], 'It is a.'],
  ['token', [user('Which?')], ''],
  ['time', [user('Which?'), assistant('b'), user('Sure?'), assistant('a')], 'a'],
])('a sample ended by a %s limit has its score and the last text of the model', async (type, messages, text) => {
  const { samples } = await imported([sample(1, { messages: messages, limit: { type, limit: 3 } })])
  expect(samples.map(endOf)).toEqual([{ text, finish: `${type}_limit`, failure: undefined, score: 1 }])
})

test('a sample that a limit ended still names the limit when its log is written again', async () => {
  const first = await imported([sample(1, { messages: [user('Which?')], limit: { type: 'token', limit: 3 } })])
  const [file = ''] = await writeLogs('inspect', first.store, first, await temporaryFolder())
  expect(await entryOf(file, 'samples/1_epoch_1.json')).toMatchObject({ limit: { type: 'token' } })
  expect(await entryOf(file, 'summaries.json')).toMatchObject([{ limit: 'token' }])
  const again = await landed(file)
  expect(again.samples.map(endOf)).toMatchObject([{ finish: 'token_limit', failure: undefined, score: 1 }])
})

test('a scored sample whose solver called no model has an empty answer', async () => {
  const { samples } = await imported([sample(1, {})])
  expect(samples.map(endOf)).toMatchObject([{ text: '', score: 1 }])
})

test('a sample without an answer, a score and a limit counts as failed, like one with an error', async () => {
  const { samples } = await imported([
    sample(1, { scores: {} }),
    sample(2, { scores: {}, error: { message: 'boom' }, limit: { type: 'message', limit: 3 } }),
  ])
  expect(samples.map(endOf).map(({ failure }) => failure)).toEqual(['The log has no answer to this request.', 'boom'])
})

const answered = (id: number, value: string): JsonObject =>
  sample(id, {
    output: { model: 'm', choices: [{ message: assistant('a'), stop_reason: 'stop' }] },
    scores: { match: { value } },
  })

const scores = [
  score('match', { accuracy: 0.5, stderr: 0.5, std: 0.7 }),
  score('match', { accuracy: 1, std: 0.1 }, { reducer: 'max' }),
  score('match', { even: 0.25 }),
]

const named = (aggregates: readonly Aggregate[]) =>
  Object.fromEntries(aggregates.map(({ metric, value, stderr }) => [metric, [value, stderr]]))

test('keeps reducers and other metrics with their scorer when a log is written again', async () => {
  const first = await imported([answered(1, 'C'), answered(2, 'I')], scores)
  const folder = await temporaryFolder()
  const [file = ''] = await writeLogs('inspect', first.store, first, folder)
  const header = await headerOf(file)
  const list = (header['results'] as { scores: readonly JsonObject[] }).scores
  expect(list.map(one => [one['name'], one['reducer'], Object.keys(one['metrics'] as JsonObject).sort()])).toEqual([
    ['match', undefined, ['even', 'mean', 'std', 'stderr']],
    ['match', 'max', ['mean', 'std']],
  ])
  const again = await landed(file)
  expect(named(again.aggregates)).toEqual(named(first.aggregates))
})

test('a single sample has no standard error, whatever number Inspect writes', async () => {
  const only = { scored_samples: 1, reducer: 'max' }
  const { aggregates } = await imported([answered(1, 'C')], [score('match', { accuracy: 1, stderr: 0 }, only)])
  expect(named(aggregates)).toMatchObject({ 'match/max': [1, null] })
})

test('a log with one failed sample is a success with that error', async () => {
  const first = await imported([answered(1, 'C'), sample(2, { scores: {}, error: { message: 'boom' } })])
  const [file = ''] = await writeLogs('inspect', first.store, first, await temporaryFolder())
  expect(await headerOf(file)).toMatchObject({
    status: 'success',
    results: { total_samples: 2, completed_samples: 1 },
    eval: { config: { fail_on_error: false } },
  })
  const again = await landed(file)
  expect(again.notes).toEqual([])
  expect(again.samples.map(endOf).map(({ failure }) => failure)).toEqual([undefined, 'invalid_request: boom'])
})

test('a log of which every sample failed is an error', async () => {
  const first = await imported([1, 2].map(id => sample(id, { scores: {}, error: { message: 'boom' } })))
  const [file = ''] = await writeLogs('inspect', first.store, first, await temporaryFolder())
  expect(await headerOf(file)).toMatchObject({ status: 'error', error: { message: 'no sample has an answer' } })
})

const headerOf = (file: string): Promise<JsonObject> => entryOf(file, 'header.json')

async function entryOf(file: string, name: string): Promise<JsonObject> {
  const zip = await openZip(file)
  try {
    const entry = zip.entries.find(({ fileName }) => fileName === name)
    if (entry === undefined) throw new Error(`no ${name}`)
    return JSON.parse(await zip.text(entry)) as JsonObject
  } finally {
    await zip.close()
  }
}
