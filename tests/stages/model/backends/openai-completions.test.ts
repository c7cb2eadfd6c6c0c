import { makeLastingFile } from '../../../../cache/media/lasting-file.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { GenerationKwargs, Input } from '../../../../cache/records.js'
import { openaiCompletions } from '../../../../stages/model/backends/openai-completions.js'
import type { BackendContext } from '../../../../stages/model/define-backend.js'
import { AttemptError } from '../../../../stages/model/model.js'
import { parseModelArgs } from '../../../../stages/model/model-args.js'
import { streamOf } from '../../../support/event-text.js'
import { startFakeOpenai, type FakeOptions } from '../../../support/fake-openai.js'

const context: BackendContext = {
  env: {},
  readMedia: () => Promise.reject(new Error('no medium is shown')),
  openMediaFile: () => Promise.resolve(makeLastingFile('')),
  fileDigest: () => Promise.reject(new Error('no file is needed')),
}

const completion = (choice: object): object => ({
  object: 'text_completion',
  choices: [{ index: 0, text: ' Paris', finish_reason: 'stop', logprobs: null, ...choice }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
})

async function connect(options: FakeOptions, args: Record<string, unknown> = {}) {
  const server = await startFakeOpenai(options)
  const parsed = parseModelArgs(openaiCompletions, { model: 'base-1', base_url: server.url, ...args })
  const model = await openaiCompletions.open(parsed as Parameters<typeof openaiCompletions.open>[0], context)
  onTestFinished(async () => {
    await model.close?.()
    await server.close()
  })
  return {
    bodies: () => server.seen.map(({ text }) => JSON.parse(text) as Record<string, unknown>),
    paths: () => server.seen.map(({ path }) => path),
    ask: (text: string, generation: GenerationKwargs = {}, input: Partial<Input> = {}) =>
      model.answer(
        {
          input: { type: 'generate_until', messages: [{ role: 'user', content: [{ type: 'text', text }] }], ...input },
          generation,
          sample: 0,
        },
        new AbortController().signal,
      ),
  }
}

describe('continues a text', () => {
  test('the prompt is one text, and the answer is its continuation', async () => {
    const { ask, bodies, paths } = await connect({ answer: () => completion({}) })
    expect(await ask('The capital of France is', { max_new_tokens: 7, until: ['\n\n'] })).toEqual({
      body: { text: ' Paris', finishReason: 'stop' },
      usage: { inputTokens: 5, outputTokens: 1 },
    })
    expect(paths()).toEqual(['/v1/completions'])
    expect(bodies()).toEqual([
      { model: 'base-1', prompt: 'The capital of France is', max_tokens: 7, temperature: 0, stop: ['\n\n'] },
    ])
  })

  test('applies max_gen_toks if the task sets no limit, and extra_body and omit', async () => {
    const { ask, bodies } = await connect(
      { answer: () => completion({}) },
      { extra_body: { min_p: 0.1 }, omit: ['temperature'] },
    )
    await ask('A', { seed: 3, top_k: 4 })
    expect(bodies()).toEqual([{ model: 'base-1', prompt: 'A', max_tokens: 256, seed: 3, top_k: 4, min_p: 0.1 }])
    const limited = await connect({ answer: () => completion({}) }, { max_gen_toks: 12 })
    await limited.ask('A')
    expect(limited.bodies()[0]).toMatchObject({ max_tokens: 12, temperature: 0 })
  })

  test('sends the first four stop sequences, and ends the answer at any of them', async () => {
    const { ask, bodies } = await connect({
      answer: () => completion({ text: ' one. Q: two', finish_reason: 'length' }),
    })
    const { body } = await ask('A', { until: ['1', '2', '3', '4', 'Q:'] })
    expect(body).toMatchObject({ text: ' one. ', finishReason: 'stop' })
    expect(bodies()[0]).toMatchObject({ stop: ['1', '2', '3', '4'] })
  })

  test('an empty text is an answer, and one that reached the limit says so', async () => {
    const { ask } = await connect({ answer: () => completion({ text: '', finish_reason: 'length' }) })
    expect((await ask('A')).body).toMatchObject({ text: '', finishReason: 'length' })
  })

  test('with stream=true, the joined chunks give the same answer', async () => {
    const pieces = [' Pa', 'ris'].map(text => completion({ text, finish_reason: null }))
    const stream = streamOf([...pieces, completion({ text: '' }), '[DONE]'])
    const { ask, bodies } = await connect({ fault: () => ({ status: 200, ...stream }) }, { stream: true })
    expect(await ask('A')).toEqual({
      body: { text: ' Paris', finishReason: 'stop' },
      usage: { inputTokens: 5, outputTokens: 1 },
    })
    expect(bodies()[0]).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  })
})

test.each([
  ['a chat', { choices: [{ index: 0 }] }, /something else than a completion/],
  ['no choice', { choices: [] }, /without a choice/],
  ['an error under status 200', { error: { message: 'overloaded', code: 503 } }, /503 overloaded/],
])('%s is a server failure that is retried', async (_, answer, message) => {
  const { ask } = await connect({ answer: () => answer })
  const error: unknown = await ask('A').catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(AttemptError)
  expect(error).toMatchObject({ class: 'server', isRetryable: true })
  expect((error as Error).message).toMatch(message)
})

test('the address may be that of the server or that of the call', async () => {
  const origin = 'http://127.0.0.1:9'
  const identities = ['', '/', '/v1', '/v1/', '/v1/completions'].map(path =>
    openaiCompletions.identify(
      parseModelArgs(openaiCompletions, { model: 'm', base_url: origin + path }) as Parameters<
        typeof openaiCompletions.identify
      >[0],
      context,
    ),
  )
  for (const identity of await Promise.all(identities))
    expect(identity).toEqual({ backend: 'openai_completions', args: { model: 'm', base_url: `${origin}/v1` } })
})

test('a filtered answer is refused, and pictures are rejected', async () => {
  const { ask } = await connect({ answer: () => completion({ finish_reason: 'content_filter' }) })
  await expect(ask('A')).rejects.toMatchObject({ class: 'refused' })
  const picture = { type: 'image' as const, media: `sha256:${'0'.repeat(64)}` as const }
  const messages = [{ role: 'user' as const, content: [picture as never] }]
  await expect(ask('', {}, { messages })).rejects.toMatchObject({ class: 'invalid_request', isRetryable: false })
})

test('scores continuations with the same call', async () => {
  const { ask } = await connect({ completions: { kind: 'echo', logprobOf: token => -token.length } })
  const { body } = await ask('Where is', {}, { type: 'loglikelihood', continuation: ' it' })
  expect(body).toMatchObject({ logprob: -3, continuationTokens: 1 })
})
