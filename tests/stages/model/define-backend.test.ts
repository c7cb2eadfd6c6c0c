import { expect, test } from 'vitest'
import { z } from 'zod'
import type { GenerationKwargs, Input } from '../../../cache/records.js'
import { type BackendContext, defineBackend } from '../../../stages/model/define-backend.js'
import { affectsOutput, transport } from '../../../stages/model/backend-args.js'

const context: BackendContext = {
  env: {},
  readMedia: () => Promise.reject(new Error('not needed')),
  mediaPath: () => '',
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

test('a backend needs an id, arguments, what it accepts and who answers', async () => {
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

test('a model that gives texts refuses what asks for likelihoods', async () => {
  const model = await short.open({ model: 'm', url: 'http://127.0.0.1:1' }, context)
  const asked = model.answer({ input: input('loglikelihood'), generation, sample: 0 }, new AbortController().signal)
  await expect(asked).rejects.toMatchObject({
    class: 'invalid_request',
    message: 'mine gives texts, and no loglikelihood',
  })
})

test('what a backend says of itself stands', async () => {
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
