import { makeLastingFile } from '../../../../cache/media/lasting-file.js'
import { expect, test } from 'vitest'
import { dummy } from '../../../../stages/model/backends/dummy.js'
import type { BackendContext } from '../../../../stages/model/define-backend.js'
import { AttemptError, type ModelRequest } from '../../../../stages/model/model.js'
import { parseModelArgs } from '../../../../stages/model/model-args.js'

const context: BackendContext = {
  env: {},
  readMedia: () => Promise.reject(new Error('not needed')),
  openMediaFile: () => Promise.resolve(makeLastingFile('')),
  fileDigest: () => Promise.reject(new Error('not needed')),
}
type Args = Parameters<typeof dummy.open>[0]
const open = (args: Record<string, unknown> = {}) => dummy.open(parseModelArgs(dummy, args) as Args, context)
const ask = (text: string, over: Partial<ModelRequest['input']> = {}): ModelRequest => ({
  input: { type: 'generate_until', messages: [{ role: 'user', content: [{ type: 'text', text }] }], ...over },
  generation: {},
  sample: 0,
})
const signal = new AbortController().signal

/** The outcome of each of a thousand requests: `ok`, or the class of its failure. */
async function outcomes(args: Record<string, unknown>, attempts = 1): Promise<string[]> {
  const model = await open(args)
  const ends: string[] = []
  for (let index = 0; index < 1_000; index++) {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const end = await model.answer(ask(`question ${index}`), signal).then(
        () => 'ok',
        (error: unknown) => (error instanceof AttemptError ? error.class : 'bug'),
      )
      if (attempt === attempts) ends.push(end)
    }
  }
  return ends
}

test('echoes the last text, or returns a fixed text', async () => {
  expect((await (await open()).answer(ask('Hi'), signal)).body).toEqual({ text: 'Hi', finishReason: 'stop' })
  expect((await (await open({ mode: 'fixed', text: 'B' })).answer(ask('Hi'), signal)).body.text).toBe('B')
})

test('chooses a word from the request alone', async () => {
  const model = await open({ mode: 'choose', words: 'A|B|C' })
  const choices = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(n => model.answer(ask(`q${n}`), signal)))
  const again = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(n => model.answer(ask(`q${n}`), signal)))
  expect(choices).toEqual(again)
  expect(new Set(choices.map(({ body }) => body.text)).size).toBeGreaterThan(1)
})

test('another sample may choose another word', async () => {
  const model = await open({ mode: 'choose' })
  const texts = await Promise.all(
    [0, 1, 2, 3, 4, 5, 6, 7].map(async sample => (await model.answer({ ...ask('q'), sample }, signal)).body.text),
  )
  expect(new Set(texts).size).toBe(2)
})

test('a log-likelihood depends only on the request', async () => {
  const model = await open()
  const { body } = await model.answer(ask('q', { type: 'loglikelihood', continuation: ' a red cube' }), signal)
  expect(body).toEqual(
    (await model.answer(ask('q', { type: 'loglikelihood', continuation: ' a red cube' }), signal)).body,
  )
  expect(body).toMatchObject({ text: '', continuationTokens: 3 })
  expect(body.logprob).toBeLessThanOrEqual(0)
})

test('the requested share of requests fails, and always the same requests', async () => {
  const ends = await outcomes({ fail: 'server:0.1|refused:0.05' })
  expect(ends).toEqual(await outcomes({ fail: 'server:0.1|refused:0.05' }))
  expect(ends.filter(end => end === 'server').length / 1_000).toBeCloseTo(0.1, 1)
  expect(ends.filter(end => end === 'refused').length / 1_000).toBeCloseTo(0.05, 1)
})

test('a failure limited to the first attempts ends after them', async () => {
  expect(new Set(await outcomes({ fail: 'rate_limited:0.5:2' }, 2))).toEqual(new Set(['ok', 'rate_limited']))
  expect(new Set(await outcomes({ fail: 'rate_limited:0.5:2' }, 3))).toEqual(new Set(['ok']))
})

test('the identity contains neither latency nor failures', async () => {
  const args = parseModelArgs(dummy, { latency_ms: '5', fail: 'server:1', num_concurrent: 3 }) as Args
  expect(await dummy.identify(args, context)).toEqual({ backend: 'dummy', args: {} })
})

test('rejects an invalid rule and says how to write one', () => {
  expect(() => parseModelArgs(dummy, { fail: 'sever:0.1' })).toThrow(/class:share/)
})
