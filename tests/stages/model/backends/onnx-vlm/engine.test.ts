import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GenerationKwargs, Input } from '../../../../../cache/records.js'
import type { Engine } from '../../../../../stages/model/backends/local-models/engine.js'
import { openEngine } from '../../../../../stages/model/backends/onnx-vlm/engine.js'
import { ask, greedy, likelihood, memoryContext, questions, tinyvlm } from './tinyvlm.js'

const { add, context } = memoryContext()
const never = new AbortController().signal
const caption = 'Describe the objects from left to right.'
let engine: Engine
let input: Input
let full: string

const answer = (generation: GenerationKwargs, sample = 0) => engine.answer({ input, generation, sample }, never)

beforeAll(async () => {
  engine = await openEngine({ dir: tinyvlm, dtype: 'fp32', threads: 1 }, digest => context.readMedia(digest))
  const question = (await questions('test')).find(({ question }) => question === caption)!
  input = greedy(ask(caption, [add(question.image.bytes)]))
  full = (await answer({})).body.text
})
afterAll(() => engine.close())

describe('generate_until', () => {
  test('an answer that reaches its limit says so', async () => {
    const { body, usage } = await answer({ max_new_tokens: 3 })
    expect(body.finishReason).toBe('length')
    expect(usage?.outputTokens).toBe(3)
    expect(full.startsWith(body.text)).toBe(true)
  })

  test('a stop string ends the answer and is not part of it', async () => {
    const stop = full.slice(6, 9)
    const { body } = await answer({ until: ['never said', stop] })
    expect(body).toEqual({ text: full.slice(0, full.indexOf(stop)), finishReason: 'stop' })
  })

  test('sampling depends only on seed and sample', async () => {
    const hot = { temperature: 3, max_new_tokens: 8 }
    const texts = await Promise.all([0, 1, 2, 3].map(async sample => (await answer(hot, sample)).body.text))
    expect(new Set(texts).size).toBeGreaterThan(1)
    expect((await answer(hot, 2)).body.text).toBe(texts[2])
    expect((await answer({ ...hot, seed: 1 }, 2)).body.text).not.toBe(texts[2])
  })

  test('sampling with top_k 1 is greedy', async () => {
    expect((await answer({ temperature: 2, top_k: 1 })).body.text).toBe(full)
    expect((await answer({ temperature: 2, top_p: 1e-9 })).body.text).toBe(full)
  })

  test.each([
    [{ num_beams: 4 }, 'num_beams'],
    [{ repetition_penalty: 1.2 }, 'repetition_penalty'],
    [{ do_sample: true }, 'do_sample needs a temperature'],
    [{ max_new_token: 3 }, 'Did you mean "max_new_tokens"?'],
    [{ max_new_tokens: 0 }, 'max_new_tokens'],
    [{ until: [''] }, 'until'],
  ])('rejects %j permanently instead of ignoring it', async (generation, message) => {
    await expect(answer(generation)).rejects.toMatchObject({
      class: 'invalid_request',
      isRetryable: false,
      message: expect.stringContaining(message) as string,
    })
  })

  test('generation kwargs at their defaults have no effect', async () => {
    const defaults = { temperature: 0, do_sample: false, top_p: 1, num_beams: 1, repetition_penalty: 1, until: [] }
    expect((await answer(defaults)).body.text).toBe(full)
  })

  test('an aborted request ends before its answer is complete', async () => {
    const abort = new AbortController()
    abort.abort(new Error('stopped by the user'))
    const asked = engine.answer({ input, generation: {}, sample: 0 }, abort.signal)
    await expect(asked).rejects.toThrow('stopped by the user')
  })

  test('rejects a prompt longer than the context, with both numbers', async () => {
    const long = greedy(ask('word '.repeat(600), []))
    const asked = engine.answer({ input: long, generation: {}, sample: 0 }, never)
    await expect(asked).rejects.toMatchObject({
      class: 'invalid_request',
      message: expect.stringMatching(/^\d+ tokens are more than the model's 512 positions$/) as string,
    })
  })

  test('answers a question without a picture', async () => {
    const { body } = await engine.answer({ input: greedy(ask('Hello?', [])), generation: {}, sample: 0 }, never)
    expect(['stop', 'length']).toContain(body.finishReason)
  })
})

describe('loglikelihood', () => {
  const score = (continuation: string) =>
    engine.answer({ input: likelihood(input.messages, continuation), generation: {}, sample: 0 }, never)

  test('the same question gets a bit-identical answer, whatever was sent before', async () => {
    const first = await score(' a red ring')
    await score(' something else')
    await engine.answer({ input: greedy(ask('Hello?', [])), generation: {}, sample: 0 }, never)
    await engine.answer({ input: greedy(ask('And you?', [])), generation: {}, sample: 0 }, never)
    expect(await score(' a red ring')).toEqual(first)
  })

  test.each(['fp32', 'int8'] as const)(
    'options in one batch have bit-identical log-probabilities to single ones (%s)',
    async dtype => {
      const read = (digest: Parameters<typeof context.readMedia>[0]) => context.readMedia(digest)
      const own = await openEngine({ dir: tinyvlm, dtype, threads: 1 }, read)
      const asked = (continuation: string) =>
        own.answer({ input: likelihood(input.messages, continuation), generation: {}, sample: 0 }, never)
      const options = [
        ' red',
        ' a red ring',
        ' a blue ring',
        ' a green square and a red ring',
        ' blue',
        ' x',
        ' no',
        ' y',
      ]
      const alone = []
      for (const option of options) alone.push(await asked(option))
      expect(new Set(alone.map(({ body }) => body.continuationTokens)).size).toBeGreaterThan(2)
      expect(await Promise.all(options.map(asked))).toEqual(alone)
      expect(await Promise.all(options.slice(1, 4).map(asked))).toEqual(alone.slice(1, 4))
      await own.close()
    },
  )

  test('an unreadable prompt fails each of its options', async () => {
    const messages = ask('Which color?', [add(Buffer.from('no picture at all'))])
    const asked = [' red', ' blue'].map(continuation =>
      engine.answer({ input: likelihood(messages, continuation), generation: {}, sample: 0 }, never),
    )
    for (const answer of asked) await expect(answer).rejects.toMatchObject({ class: 'media' })
    expect((await score(' red')).body.logprob).toBeLessThan(0)
  })

  test('rejects an empty continuation', async () => {
    await expect(score('')).rejects.toMatchObject({ class: 'invalid_request' })
  })
})

test('a medium that is not a picture fails only its request', async () => {
  const broken = greedy(ask('Which color?', [add(Buffer.from('no picture'))]))
  const asked = engine.answer({ input: broken, generation: {}, sample: 0 }, never)
  await expect(asked).rejects.toMatchObject({ class: 'media', isRetryable: false })
  expect((await answer({})).body.text).toBe(full)
})

test('rejects tools and other request types', async () => {
  const refused = { class: 'invalid_request', isRetryable: false }
  const withTools = { ...input, tools: [] }
  const rolling = { ...input, type: 'loglikelihood_rolling' } as const
  await expect(engine.answer({ input: withTools, generation: {}, sample: 0 }, never)).rejects.toMatchObject(refused)
  await expect(engine.answer({ input: rolling, generation: {}, sample: 0 }, never)).rejects.toMatchObject(refused)
})
