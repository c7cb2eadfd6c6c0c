import { expect, test } from 'vitest'
import {
  AttemptError,
  defineTask,
  evaluate,
  exactMatch,
  mockModel,
  rows,
  type MockModel,
  type MockReply,
  type MockRequest,
} from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

const docs = Array.from({ length: 6 }, (_, index) => ({
  id: `d${index}`,
  question: 'x'.repeat(40 - 7 * (index % 5)) + String(index),
}))

const copying = defineTask({
  name: 'copying',
  module: import.meta.url,
  dataset: rows(docs),
  prompt: doc => doc.question,
  target: doc => doc.question,
  metrics: { exact: exactMatch() },
})

async function asked(model: MockModel, options: { readonly concurrency?: number } = {}) {
  const run = await evaluate({ store: await temporaryFolder(), model, tasks: [copying], ...options })
  const texts: unknown[] = []
  for await (const { text } of run.samples()) texts.push(text)
  return { run, texts }
}

test('a function answers each request, and records the calls', async () => {
  const model = mockModel({ reply: ({ text }) => text })
  const { run } = await asked(model)
  expect(run.of(copying).metrics.exact.value).toBe(1)
  expect(model.calls.map(({ text }) => text).sort()).toEqual(docs.map(({ question }) => question).sort())
  expect(model.calls.map(({ call }) => call)).toEqual([1, 2, 3, 4, 5, 6])
  expect(model.calls[0]).toMatchObject({ sample: 0, input: { type: 'generate_until' } })
})

test('a list answers in the order of docs, whatever the concurrency', async () => {
  const replies = ['a', 'b', 'c', 'd', 'e', 'f']
  const { texts } = await asked(mockModel({ replies }), { concurrency: 32 })
  expect(texts).toEqual(replies)
})

test('an Error fails only its request, permanently', async () => {
  const model = mockModel({ replies: ['a', new Error('out of service'), 'c', 'd', 'e', 'f'] })
  const { run, texts } = await asked(model)
  expect(run.failures).toMatchObject([
    { doc: 'd1', failure: { class: 'server', message: 'out of service', attempts: 1 } },
  ])
  expect(texts).toEqual(['a', undefined, 'c', 'd', 'e', 'f'])
  expect(model.calls).toHaveLength(6)
})

test('keeps the class of an AttemptError, and any thrown error is a failure', async () => {
  const refusal = new AttemptError('refused', 'not this one', { isRetryable: false })
  const { run } = await asked(
    mockModel({
      reply: ({ text }): MockReply => {
        if (text.endsWith('0')) return refusal
        if (text.endsWith('1')) throw new TypeError('no')
        return { text, finishReason: 'length' }
      },
    }),
  )
  expect(run.failures.map(({ doc, failure }) => [doc, failure.class]).sort()).toEqual([
    ['d0', 'refused'],
    ['d1', 'server'],
  ])
  for await (const { answers } of run.samples()) expect(answers[0]?.finishReason ?? 'length').toBe('length')
})

test('a list that is too short ends the evaluation and names the call', async () => {
  await expect(asked(mockModel({ replies: ['a', 'b'] }))).rejects.toThrow(
    'mockModel: no reply for call 3: the list has 2',
  )
})

test('a pending reply ends with the evaluation', async () => {
  const ending = new AbortController()
  const reply = ({ call }: MockRequest): string | Promise<string> => {
    if (call === 1) return 'a'
    ending.abort()
    return new Promise(() => undefined)
  }
  const options = { store: await temporaryFolder(), tasks: [copying], concurrency: 1, signal: ending.signal }
  const run = await evaluate({ ...options, model: mockModel({ reply }) })
  expect(run.counts).toMatchObject({ answered: 1, pending: 5 })
})

test('mocks share answers only with a version', async () => {
  const store = await temporaryFolder()
  const once = (options: { readonly version?: string }) => {
    const model = mockModel({ ...options, reply: ({ text }) => text })
    return evaluate({ store, model, tasks: [copying] }).then(() => model.calls.length)
  }
  expect([await once({}), await once({})]).toEqual([6, 6])
  expect([await once({ version: '1' }), await once({ version: '1' }), await once({ version: '2' })]).toEqual([6, 0, 6])
})

test('a reply and replies together do not compile', () => {
  // @ts-expect-error one of them
  expect(mockModel({ reply: () => '', replies: [] }).calls).toEqual([])
})
