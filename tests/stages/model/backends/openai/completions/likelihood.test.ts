import { makeLastingFile } from '../../../../../../cache/media/lasting-file.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { PipelineError } from '../../../../../../base/errors/errors.js'
import type { ChatMessage, ContentPart } from '../../../../../../cache/records.js'
import { llamaCpp } from '../../../../../../stages/model/backends/llama-cpp.js'
import { openai } from '../../../../../../stages/model/backends/openai.js'
import type { BackendContext } from '../../../../../../stages/model/define-backend.js'
import { AttemptError, type ModelRequest } from '../../../../../../stages/model/model.js'
import { parseModelArgs } from '../../../../../../stages/model/model-args.js'
import type { CompletionsKind } from '../../../../../support/fake-completions.js'
import { startFakeOpenai, type FakeOptions } from '../../../../../support/fake-openai.js'

const key = 'sk-very-secret-0123456789'
const context: BackendContext = {
  env: { OPENAI_API_KEY: key },
  readMedia: () => Promise.reject(new Error('no medium is shown')),
  openMediaFile: () => Promise.resolve(makeLastingFile('')),
  fileDigest: () => Promise.reject(new Error('no file is needed')),
}

/** The longer a token, the less likely it is; `it` is the likeliest of all. */
const logprobOf = (token: string): number => (token.trim() === 'it' ? -0.25 : -token.length)

async function connect(options: FakeOptions, args: Record<string, unknown> = {}) {
  const server = await startFakeOpenai(options)
  const parsed = parseModelArgs(openai, { model: 'm-1', base_url: server.url, ...args })
  const model = await openai.open(parsed as Parameters<typeof openai.open>[0], context)
  onTestFinished(async () => {
    await model.close?.()
    await server.close()
  })
  const bodies = () => server.seen.map(({ text }) => JSON.parse(text) as Record<string, unknown>)
  return {
    server,
    bodies,
    ask: (question: string | readonly ChatMessage[], continuation: string) =>
      model.answer(request(question, continuation), new AbortController().signal),
    model,
  }
}

const serving = (kind: CompletionsKind): FakeOptions => ({ completions: { kind, logprobOf } })

const textPart = (text: string): ContentPart => ({ type: 'text', text })

function request(question: string | readonly ChatMessage[], continuation: string): ModelRequest {
  const messages = typeof question === 'string' ? [{ role: 'user' as const, content: [textPart(question)] }] : question
  return {
    input: {
      type: question === '' ? 'loglikelihood_rolling' : 'loglikelihood',
      messages: question === '' ? [] : messages,
      continuation,
    },
    generation: {},
    sample: 0,
  }
}

async function errorOf(attempt: Promise<unknown>): Promise<unknown> {
  return attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
}

describe.each(['echo', 'echo-bos', 'echo-no-offsets', 'prompt_logprobs'] as const)('a server with %s', kind => {
  test('scores only the tokens of the continuation', async () => {
    const { ask } = await connect(serving(kind))
    expect((await ask('Is 你好 🎈 far?', ' it is')).body).toEqual({
      text: '',
      finishReason: 'stop',
      logprob: -3.25,
      continuationTokens: 2,
      isGreedy: false,
    })
    expect((await ask('Where is', ' it')).body).toMatchObject({ logprob: -0.25, continuationTokens: 1, isGreedy: true })
  })
})

test('sends one probe, then each text with its continuation', async () => {
  const { ask, server, bodies } = await connect(serving('echo'), { extra_body: { user: 'me' }, omit: ['temperature'] })
  await Promise.all([ask('Where is', ' it'), ask('Where is', ' she')])
  const common = { user: 'me', model: 'm-1', max_tokens: 1, logprobs: 1, echo: true }
  expect(bodies()).toEqual([
    { ...common, prompt: 'The sky is blue, and the grass is' },
    { ...common, prompt: 'Where is it' },
    { ...common, prompt: 'Where is she' },
  ])
  expect(server.seen.map(({ path }) => path)).toEqual(Array(3).fill('/v1/completions'))
  expect(server.seen[0]!.headers).toMatchObject({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
})

test('sends chats without a probe', async () => {
  const { model, server } = await connect({ ...serving('ignores-echo'), answer: () => 'yes' })
  const chat: ModelRequest = { input: { type: 'generate_until', messages: [] }, generation: {}, sample: 0 }
  expect((await model.answer(chat, new AbortController().signal)).body.text).toBe('yes')
  expect(server.seen.map(({ path }) => path)).toEqual(['/v1/chat/completions'])
})

test('moves trailing white space of the context to the continuation, as its tokens require', async () => {
  const { ask } = await connect(serving('echo'))
  expect((await ask('Where is ', 'it')).body).toMatchObject({ logprob: -0.25, continuationTokens: 1 })
})

test('counts a token that begins in the context as context, and fails if no token is left', async () => {
  const { ask } = await connect(serving('echo'))
  expect((await ask('Where i', 's it')).body).toMatchObject({ logprob: -0.25, continuationTokens: 1 })
  const error = await errorOf(ask('Where i', 's'))
  expect(error).toMatchObject({ class: 'invalid_request', isRetryable: false })
})

test('scores a text without a context after a BOS token of the server or a given prefix_text', async () => {
  expect((await (await connect(serving('echo-bos'))).ask('', 'Where is it')).body).toMatchObject({
    logprob: -5 - 3 - 0.25,
    continuationTokens: 3,
  })
  const { ask, bodies } = await connect(serving('echo'), { prefix_text: '\n' })
  expect((await ask('', 'Where is it')).body).toMatchObject({ logprob: -5 - 3 - 0.25, continuationTokens: 3 })
  expect(bodies().at(-1)).toMatchObject({ prompt: '\nWhere is it' })
})

test.each(['echo', 'prompt_logprobs'] as const)(
  'rejects a text without a context before it is sent if nothing can precede it (%s)',
  async kind => {
    const { ask, server } = await connect(serving(kind))
    expect((await ask('Where is', ' it')).body).toMatchObject({ logprob: -0.25 })
    const before = server.stats().requests
    const empty = [{ role: 'user' as const, content: [textPart('')] }]
    for (const [question, continuation] of [
      ['', 'Where is it'],
      [empty, ' Where is it'],
      [' ', 'Where is it'],
    ] as const) {
      const error = await errorOf(ask(question, continuation))
      expect(error).toBeInstanceOf(PipelineError)
      expect((error as Error).message).toContain('puts no token before a text')
      expect((error as Error).message).toContain('prefix_text=')
    }
    expect(server.stats().requests).toBe(before)
  },
)

test('rejects a prefix_text whose tokens extend into the text', async () => {
  const { ask } = await connect(serving('echo'), { prefix_text: '<s>' })
  const error = await errorOf(ask('', 'Where'))
  expect(error).toMatchObject({ class: 'invalid_request', isRetryable: false })
  expect((error as Error).message).toContain('prefix_text="<s>"')
  expect((await ask('', ' Where')).body).toMatchObject({ continuationTokens: 1 })
})

test("rejects a server that returns each token's probability one token late, with the cause", async () => {
  const { ask, server } = await connect(serving('echo-shifted'))
  const error = await errorOf(ask('Where is', ' it'))
  expect(error).toBeInstanceOf(PipelineError)
  expect((error as Error).message).toContain('one token late')
  expect((error as Error).message).toContain('beginning-of-text token')
  expect(server.stats().requests).toBe(2)
})

test('for llama.cpp, suggests a server that scores prompts with the same files', async () => {
  const server = await startFakeOpenai(serving('ignores-echo'))
  const parsed = parseModelArgs(llamaCpp, { model: 'm-1', base_url: server.url })
  const model = await llamaCpp.open(parsed as Parameters<typeof llamaCpp.open>[0], context)
  onTestFinished(async () => {
    await model.close?.()
    await server.close()
  })
  const error = await errorOf(model.answer(request('Where is', ' it'), new AbortController().signal))
  expect((error as Error).message).toContain('python3 -m llama_cpp.server --model FILE.gguf --logits_all true')
  expect((error as Error).message).toContain('beginning-of-text token')
})

test('joins the texts of a conversation with an empty line between messages', async () => {
  const { ask, bodies } = await connect(serving('echo'))
  await ask(
    [
      { role: 'system', content: [textPart('Be brief.')] },
      { role: 'user', content: [textPart('Where'), textPart(' is')] },
    ],
    ' it',
  )
  expect(bodies().at(-1)).toMatchObject({ prompt: 'Be brief.\n\nWhere is it' })
})

test('rejects pictures', async () => {
  const { ask } = await connect(serving('echo'))
  const picture = { type: 'image', media: `sha256:${'0'.repeat(64)}` } as ContentPart
  const error = await errorOf(ask([{ role: 'user', content: [picture] }], ' it'))
  expect(error).toMatchObject({ class: 'invalid_request', isRetryable: false })
})

test('rejects a server that ignores echo, and says what to do', async () => {
  const { ask, server } = await connect(serving('ignores-echo'))
  const error = await errorOf(ask('Where is', ' it'))
  expect(error).toBeInstanceOf(PipelineError)
  const { message } = error as Error
  expect(message).toContain(`${server.url}/completions gives no log-probabilities of prompts`)
  expect(message).toContain('ignores `echo`')
  expect(message).toContain('ignores `prompt_logprobs`')
  expect(message).toContain('vLLM')
  expect(server.stats().requests).toBe(2)
})

test('rejects a server without completions or without echo, in its own words', async () => {
  for (const [status, words] of [
    [404, 'no such page'],
    [500, 'Only no echo is supported'],
  ] as const) {
    const { ask } = await connect({ fault: () => ({ status, body: { error: { message: words } } }) })
    const error = await errorOf(ask('Where is', ' it'))
    expect(error).toBeInstanceOf(PipelineError)
    expect((error as Error).message).toContain(`${status} ${words}`)
  }
})

test('does not accept zeros as log-probabilities', async () => {
  const { ask } = await connect({ completions: { kind: 'echo', logprobOf: () => 0 } })
  expect(await errorOf(ask('Where is', ' it'))).toBeInstanceOf(PipelineError)
})

test('retries while a server is not ready, including the probe', async () => {
  let times = 0
  const { ask } = await connect({
    ...serving('echo'),
    fault: () => (times++ === 0 ? { status: 503, body: { error: { message: 'Loading model' } } } : undefined),
  })
  const error = await errorOf(ask('Where is', ' it'))
  expect(error).toBeInstanceOf(AttemptError)
  expect(error).toMatchObject({ class: 'server', isRetryable: true })
  expect((await ask('Where is', ' it')).body).toMatchObject({ logprob: -0.25 })
})

describe('prompt_format=template', () => {
  const vllm: FakeOptions = {
    ...serving('echo'),
    answer: ({ path, text }) => {
      if (path === '/detokenize') return { prompt: '<s>[user] Where is [assistant]' }
      expect(JSON.parse(text)).toMatchObject({ add_generation_prompt: true })
      return { tokens: [1, 2, 3], count: 3 }
    },
  }

  test('gets the conversation in the chat template from the server, once for all choices', async () => {
    const { ask, server, bodies } = await connect(vllm, { prompt_format: 'template' })
    expect((await ask('Where is', ' it')).body).toMatchObject({ logprob: -0.25, continuationTokens: 1 })
    await ask('Where is', ' she')
    expect(server.seen.map(({ path }) => path)).toEqual([
      '/v1/completions',
      '/tokenize',
      '/detokenize',
      '/v1/completions',
      '/v1/completions',
    ])
    expect(bodies()[1]).toMatchObject({ model: 'm-1', messages: [{ role: 'user', content: 'Where is' }] })
    expect(bodies()[2]).toEqual({ model: 'm-1', tokens: [1, 2, 3] })
    expect(bodies().at(-1)).toMatchObject({
      prompt: '<s>[user] Where is [assistant] she',
      add_special_tokens: false,
    })
  })

  test('is rejected if the server has no template', async () => {
    const { ask } = await connect(
      { ...serving('echo'), fault: ({ path }) => (path === '/tokenize' ? { status: 404 } : undefined) },
      { prompt_format: 'template' },
    )
    const error = await errorOf(ask('Where is', ' it'))
    expect(error).toBeInstanceOf(PipelineError)
    expect((error as Error).message).toContain('/tokenize')
  })
})
