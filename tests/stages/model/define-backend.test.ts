import { makeLastingFile } from '../../../cache/media/lasting-file.js'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { GenerationKwargs, Input } from '../../../cache/records.js'
import { type BackendContext, defineBackend } from '../../../stages/model/define-backend.js'
import { affectsOutput, transport } from '../../../stages/model/backend-args.js'

const context: BackendContext = {
  env: {},
  readMedia: () => Promise.reject(new Error('not needed')),
  openMediaFile: () => Promise.resolve(makeLastingFile('')),
  fileDigest: () => Promise.reject(new Error('not needed')),
}
const input = (type: Input['type']): Input => ({
  type,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
})
const generation: GenerationKwargs = {}

const short = defineBackend({
  id: 'mine',
  args: z.object({ model: affectsOutput(z.string()), url: transport(z.url()) }),
  accepts: ['text'],
  open: ({ model }) => ({
    generate: ({ input: { messages } }) =>
      Promise.resolve({ text: `${model}: ${messages.length}`, usage: { outputTokens: 2 } }),
  }),
})

test('a backend needs an id, arguments, modalities and an answer function', async () => {
  const args = { model: 'm', url: 'http://127.0.0.1:1' }
  expect(Object.keys(short.args)).toEqual(['model', 'url'])
  expect(short).toMatchObject({
    summary: 'mine',
    requests: ['generate_until'],
    code: { files: [] },
    concurrency: 'adaptive',
  })
  expect(await short.identify(args, context)).toEqual({ backend: 'mine', args: { model: 'm' } })
  const model = await short.open(args, context)
  const answer = await model.answer(
    { input: input('generate_until'), generation, sample: 0 },
    new AbortController().signal,
  )
  expect(answer).toEqual({ body: { text: 'm: 1', finishReason: 'stop' }, usage: { outputTokens: 2 } })
})

test('a model that returns texts rejects requests for likelihoods', async () => {
  const model = await short.open({ model: 'm', url: 'http://127.0.0.1:1' }, context)
  const asked = model.answer({ input: input('loglikelihood'), generation, sample: 0 }, new AbortController().signal)
  await expect(asked).rejects.toMatchObject({
    class: 'invalid_request',
    message: 'mine gives texts, and no loglikelihood',
  })
})

test('the declared fields of a backend are kept', async () => {
  const backend = defineBackend({
    id: 'mine',
    summary: 'a server',
    args: { model: affectsOutput(z.string()) },
    accepts: ['text'],
    requests: ['loglikelihood'],
    code: { files: ['a.ts'] },
    concurrency: 3,
    identify: ({ model }) => Promise.resolve({ backend: 'other', args: { model } }),
    open: () => Promise.resolve({ answer: () => Promise.resolve({ body: { text: '', finishReason: 'length' } }) }),
  })
  expect(backend).toMatchObject({
    summary: 'a server',
    requests: ['loglikelihood'],
    code: { files: ['a.ts'] },
    concurrency: 3,
  })
  expect(await backend.identify({ model: 'm' }, context)).toEqual({ backend: 'other', args: { model: 'm' } })
  const model = await backend.open({ model: 'm' }, context)
  const answer = await model.answer(
    { input: input('loglikelihood'), generation, sample: 0 },
    new AbortController().signal,
  )
  expect(answer.body.finishReason).toBe('length')
})

/** A backend as a plugin in JavaScript may write it. */
const written = (parts: object): ReturnType<typeof defineBackend> =>
  defineBackend({ id: 'mine', args: {}, accepts: ['text'], ...parts } as never)

test.each([
  [
    'no such device',
    {
      open: () => {
        throw new Error('no such device')
      },
    },
  ],
  ['it must return an object with the function generate or answer, not nothing', { open: () => undefined }],
  ['it must return an object with the function generate or answer, not a text', { open: () => 'x' }],
  [
    'it must return an object with the function generate or answer, not an object with generate',
    { open: () => ({ generate: 5 }) },
  ],
])('names a plugin whose open fails: %s', async (reason, parts) => {
  const opening = written(parts).open({}, context)
  await expect(opening).rejects.toThrow(`open of the model backend mine failed: ${reason}`)
  await expect(opening).rejects.toMatchObject({ code: 'config' })
})

test('names a plugin whose identify, ready or close fails', async () => {
  const fail = (): never => {
    throw new Error('broken')
  }
  const backend = written({ identify: fail, ready: fail, open: () => ({ generate: fail, close: fail }) })
  await expect(backend.identify({}, context)).rejects.toThrow('identify of the model backend mine failed: broken')
  await expect(backend.ready?.({}, context)).rejects.toThrow('ready of the model backend mine failed: broken')
  const model = await backend.open({}, context)
  await expect(model.close?.()).rejects.toThrow('close of the model backend mine failed: broken')
  await expect(written({ identify: () => undefined }).identify({}, context)).rejects.toThrow('not nothing')
})

test.each([
  [undefined, 'nothing'],
  ['answer', 'a text'],
  [{ text: 5 }, 'an object with text'],
  [{ answer: 'x' }, 'an object with answer'],
])('generate that returns %j fails its request once, in one sentence', async (given, kind) => {
  const model = await written({ open: () => ({ generate: () => given }) }).open({}, context)
  const asked = model.answer({ input: input('generate_until'), generation, sample: 0 }, new AbortController().signal)
  await expect(asked).rejects.toMatchObject({
    class: 'invalid_request',
    isRetryable: false,
    message: `the model backend mine: generate must return { text: '…' }, not ${kind}`,
  })
})
