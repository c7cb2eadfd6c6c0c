import { expect, test } from 'vitest'
import { defineTask, evaluate, exactMatch, fromAiSdk, image, rows } from '../../../src/index.js'
import { picture } from '../../support/own-task.js'
import { temporaryFolder } from '../../support/store.js'

interface Call {
  readonly prompt: readonly {
    readonly role: string
    readonly content: string | readonly { readonly type: string; readonly text?: string; readonly mediaType?: string }[]
  }[]
  readonly maxOutputTokens?: number
  readonly abortSignal?: AbortSignal
}

const photo = await picture(1)
const colours = defineTask({
  name: 'colours',
  module: import.meta.url,
  dataset: rows([{ question: 'What colour?', photo, answer: 'blue' }]),
  prompt: doc => [image(doc.photo), doc.question],
  target: doc => doc.answer,
  generation: { maxNewTokens: 8 },
  metrics: { exact: exactMatch() },
})

/** A language model as a provider makes one. */
function providedModel(specificationVersion: string, answer: (call: Call) => unknown) {
  const calls: Call[] = []
  return {
    calls,
    specificationVersion,
    provider: 'acme.chat',
    modelId: 'acme-1',
    doGenerate(call: Call): Promise<unknown> {
      calls.push(call)
      return Promise.resolve().then(() => answer(call))
    },
  }
}

const content = [
  { type: 'reasoning', text: 'The sky.' },
  { type: 'text', text: 'bl' },
  { type: 'text', text: 'ue' },
]

/** Since v3, what was a word or a number has parts. */
const partedResult = {
  content,
  finishReason: { unified: 'stop', raw: 'end_turn' },
  usage: { inputTokens: { total: 9 }, outputTokens: { total: 2, text: 1 } },
}

test.each<[string, unknown]>([
  ['v2', { content, finishReason: 'stop', usage: { inputTokens: 9, outputTokens: 2, totalTokens: 11 } }],
  ['v3', partedResult],
  ['v4', partedResult],
])('evaluates a model of the specification %s', async (version, result) => {
  const provided = providedModel(version, () => result)
  const store = await temporaryFolder()
  const run = await evaluate({ store, model: fromAiSdk(provided), tasks: [colours] })
  expect(run.of(colours).metrics.exact.value).toBe(1)
  for await (const { answers } of run.samples())
    expect(answers[0]).toMatchObject({ text: 'blue', finishReason: 'stop', reasoning: 'The sky.' })
  const [call] = provided.calls
  const data = expect.any(Uint8Array) as unknown
  expect(call?.maxOutputTokens).toBe(8)
  expect(call?.abortSignal).toBeInstanceOf(AbortSignal)
  expect(call?.prompt).toMatchObject([
    {
      role: 'user',
      content: [
        { type: 'file', mediaType: 'image/png', data: version === 'v4' ? { type: 'data', data } : data },
        { type: 'text', text: 'What colour?' },
      ],
    },
  ])
  expect(run.figures?.tokens).toMatchObject({ input: 9, output: 2 })
  const again = await evaluate({ store, model: fromAiSdk(provided), tasks: [colours] })
  expect([again.asked, provided.calls.length]).toEqual([0, 1])
})

test('a permanent error of a provider fails the request', async () => {
  const refusal = Object.assign(new Error('no such model'), { isRetryable: false, statusCode: 404 })
  const provided = providedModel('v2', () => {
    throw refusal
  })
  const run = await evaluate({ store: await temporaryFolder(), model: fromAiSdk(provided), tasks: [colours] })
  expect(run.failures).toMatchObject([{ failure: { class: 'invalid_request', message: 'no such model' } }])
  expect(provided.calls).toHaveLength(1)
})

test('rejects an unknown specification', () => {
  expect(() => fromAiSdk(providedModel('v1', () => undefined))).toThrow(/acme-1 has specification v1, and v2, v3, v4/)
})
