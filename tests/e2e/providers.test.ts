import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { claudeError, claudeMessage, startFakeAnthropic } from '../support/fake-anthropic.js'
import { geminiAnswer, googleError, startFakeGemini } from '../support/fake-gemini.js'
import { completion, openaiResponse } from '../support/fake-openai.js'
import { startFakeProvider, type FakeProvider, type ProviderRequest, type Reply } from '../support/fake-provider.js'
import { ownTask, results } from '../support/own-task.js'

const secret = 'sk-very/secret+7f3a9b'

interface Provider {
  readonly name: string
  readonly start: (reply: (request: ProviderRequest) => Reply) => Promise<FakeProvider>
  readonly answer: object
  /** A rate limit response without a wait. */
  readonly busy: Reply
  readonly error: object
  readonly args: (url: string) => string
  readonly keyVariable: string
}

const chat = (name: string, keyVariable: string, args: Provider['args']): Provider => ({
  name,
  start: startFakeProvider,
  answer: completion('blue'),
  busy: { status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'busy' } } },
  error: { error: { message: `bad key ${secret}` } },
  args,
  keyVariable,
})

const providers: readonly Provider[] = [
  {
    name: 'anthropic',
    start: startFakeAnthropic,
    answer: claudeMessage([
      { type: 'thinking', thinking: 'It is blue.', signature: 'EqQB' },
      { type: 'text', text: 'blue' },
    ]),
    busy: { status: 429, headers: { 'retry-after': '0' }, body: claudeError('rate_limit_error') },
    error: claudeError('authentication_error', `bad key ${secret}`),
    args: url => `model=claude-sonnet-4-5,base_url=${url}`,
    keyVariable: 'ANTHROPIC_API_KEY',
  },
  {
    name: 'gemini',
    start: startFakeGemini,
    answer: geminiAnswer([{ text: 'It is blue.', thought: true }, { text: 'blue' }]),
    busy: {
      status: 429,
      body: googleError(429, 'RESOURCE_EXHAUSTED', [
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.001s' },
      ]),
    },
    error: { error: { code: 403, message: `bad key ${secret}`, status: 'PERMISSION_DENIED' } },
    args: url => `model=gemini-fake,base_url=${url}`,
    keyVariable: 'GEMINI_API_KEY',
  },
  {
    ...chat('openai_responses', 'OPENAI_API_KEY', url => `model=m,base_url=${url}/v1`),
    answer: openaiResponse('blue'),
  },
  chat('groq', 'GROQ_API_KEY', url => `model=m,base_url=${url}/openai/v1`),
  chat('openrouter', 'OPENROUTER_API_KEY', url => `model=a/m,base_url=${url}/api/v1`),
  chat('together', 'TOGETHER_API_KEY', url => `model=a/m,base_url=${url}/v1`),
  chat('fireworks', 'FIREWORKS_API_KEY', url => `model=a/m,base_url=${url}/inference/v1`),
  // This provider accepts no pictures, so it gets texts only.
  chat('deepseek', 'DEEPSEEK_API_KEY', url => `model=m,base_url=${url}/v1`),
  chat('mistral', 'MISTRAL_API_KEY', url => `model=m,base_url=${url}/v1`),
  chat('xai', 'XAI_API_KEY', url => `model=m,base_url=${url}/v1`),
  chat('litellm', 'LITELLM_PROXY_API_KEY', url => `model=m,base_url=${url}`),
  chat('azure_openai', 'AZURE_OPENAI_API_KEY', url => `model=m,base_url=${url},api_version=2024-10-21`),
]

/** A run of the program that asks this provider six questions, with the key in the environment. */
async function evaluation(provider: Provider, reply: (request: ProviderRequest, index: number) => Reply) {
  const task = await ownTask()
  if (provider.name === 'deepseek') await task.edit('mytask.yaml', 'doc_to_visual: image\n', '')
  let asked = 0
  const server = await provider.start(request => reply(request, asked++))
  onTestFinished(() => server.close())
  const line = ['eval', '--model', provider.name, '--model-args', provider.args(server.url), '--tasks', './mytask']
  const env = { [provider.keyVariable]: secret }
  const run = (...flags: string[]) => runCli([...line, ...flags], { cwd: task.folder, env })
  return { folder: task.folder, server, run }
}

async function expectNoSecretIn(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  expect(files.length).toBeGreaterThan(3)
  for (const file of files) {
    const bytes = await readFile(join(file.parentPath, file.name))
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
      expect(bytes.includes(form), file.name).toBe(false)
  }
}

test.each(providers)('$name answers, is retried when busy, and gets each request once', async provider => {
  const { folder, server, run } = await evaluation(provider, (_, index) =>
    index === 0 ? provider.busy : { body: provider.answer },
  )
  const first = await run('--json')
  expect(first.stderr).not.toContain(secret)
  expect(first.code).toBe(0)
  const [value] = Object.values(results(first).tasks['mytask']!)
  expect(value).toMatchObject({ value: 4 / 6, n: 6 })
  expect(server.seen).toHaveLength(7)
  expect((await run()).code).toBe(0)
  expect(server.seen).toHaveLength(7)
  await expectNoSecretIn(folder)
})

test.each(providers)('shows a key that $name rejects nowhere', async provider => {
  const { folder, run } = await evaluation(provider, () => ({ status: 401, body: provider.error }))
  const { code, stdout, stderr } = await run()
  expect(code).toBe(2)
  expect(stderr).toContain(provider.keyVariable)
  for (const form of [secret, encodeURIComponent(secret)]) expect(stdout + stderr).not.toContain(form)
  await expectNoSecretIn(folder)
})
