import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, type Ended } from '../support/cli.js'
import { everythingIn } from '../support/everything-in.js'
import { claudeError, claudeMessage } from '../support/fake-anthropic.js'
import { geminiAnswer, googleError } from '../support/fake-gemini.js'
import { completion, openaiResponse } from '../support/fake-openai.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

const secret = 'sk-very/secret+7f3a9b'
/** More docs than the server has ways to leak a key. */
const docs = 20

/** The encodings in which a key may appear. */
const forms: readonly string[] = [
  secret,
  encodeURIComponent(secret),
  encodeURIComponent(secret).toLowerCase(),
  secret.replaceAll('/', '\\/'),
  ...['', 'u', 'uu', 'Bearer ', 'u:'].map(before => lettersOf(before)),
]

/** The part of the base64 text that depends only on the key, after another text. */
function lettersOf(before: string): string {
  const letters = Buffer.from(before + secret).toString('base64')
  return letters.slice(Math.ceil((before.length * 8) / 6), Math.floor(((before.length + secret.length) * 8) / 6))
}

interface Reply {
  readonly status: number
  readonly body: string
  readonly headers?: Record<string, string>
}

/** A server that repeats what it received, as an error or an answer, in each of these ways in turn. */
async function tellTale(replies: readonly ((key: string) => Reply)[]): Promise<string> {
  let requests = 0
  const server = createServer((request, response) => {
    const key = keyOf(request)
    request.resume().on('end', () => {
      const { status, body, headers } = replies[requests++ % replies.length]!(key)
      response.writeHead(status, { 'content-type': 'application/json', 'x-echo': key, ...headers })
      response.end(body)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

function keyOf({ headers }: IncomingMessage): string {
  const { authorization, 'x-api-key': claude, 'x-goog-api-key': google } = headers
  return String(authorization?.replace('Bearer ', '') ?? claude ?? google ?? 'no key')
}

const words = (key: string): string =>
  [
    `bad request from ${key}, also ${encodeURIComponent(key)}, ${encodeURIComponent(key).toLowerCase()},`,
    ...['', 'u:', 'Bearer '].map(before => Buffer.from(before + key).toString('base64')),
  ].join(' ')
const json = (body: object, status = 200): Reply => ({ status, body: JSON.stringify(body) })
const error = (status: number) => (key: string) => json({ error: { message: words(key) } }, status)

function expectNoSecretSaid(said: readonly Ended[]): void {
  for (const { stdout, stderr } of said) for (const form of forms) expect(stdout + stderr).not.toContain(form)
}

async function expectNoSecretIn(folder: string): Promise<void> {
  const written = await everythingIn(folder)
  const kinds = new Set(written.map(({ where }) => where.split('.').at(-1)))
  for (const kind of ['sqlite', 'parquet', 'json', 'jsonl', 'pipeline']) expect(kinds).toContain(kind)
  for (const { where, bytes } of written)
    for (const form of forms) expect(bytes.includes(form), `${form} in ${where}`).toBe(false)
}

interface Line {
  readonly folder: string
  /** Model and its arguments. */
  readonly model: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Runs a model, and every command that shows the run afterwards. */
async function runAndTell({ folder, model, env }: Line): Promise<{ ended: Ended; said: readonly Ended[] }> {
  const task = await writeTextTask(join(folder, 'task'), docs)
  const store = ['--store', join(folder, 'store')]
  const line = ['eval', '--tasks', task, ...store, ...model, '--output-path', join(folder, 'results'), '--log-samples']
  const ended = await runCli(line, { env: { ...env, PIPELINE_DEBUG: '1' } })
  const later = [
    ['export', 'last', ...store, '-o', join(folder, 'x.pipeline')],
    ['report', 'last', '--samples', 'all', '--json', ...store],
  ]
  const said = [ended]
  for (const command of later) said.push(await runCli(command))
  return { ended, said }
}

const page = { 'content-type': `text/html; of=${secret}` }
const elsewhere = { location: `/login?key=${encodeURIComponent(secret)}&again=${secret}` }

const providers: Readonly<Record<string, readonly ((key: string) => Reply)[]>> = {
  openai: [
    () => json(completion('yes')),
    ...[400, 401, 403, 429, 500].map(error),
    key => ({ status: 502, body: words(key) }),
    key => ({ status: 200, body: words(key) }),
    key => json({ error: { message: words(key) } }),
    key => json(completion('', words(key))),
    key => json({ choices: words(key) }),
    () => ({ status: 302, body: '', headers: elsewhere }),
    key => ({ status: 200, body: `<p>${words(key)}</p>`, headers: page }),
    () => ({ status: 200, body: 'x', headers: { 'content-encoding': secret } }),
  ],
  groq: [() => json(completion('yes')), error(400)],
  anthropic: [
    () => json(claudeMessage('yes')),
    key => json(claudeError('authentication_error', words(key)), 401),
    key => json(claudeMessage(words(key), { stop_reason: 'refusal' })),
  ],
  gemini: [
    () => json(geminiAnswer('yes')),
    key => json({ error: { ...googleError(400, 'INVALID_ARGUMENT'), code: 400, message: words(key) } }, 400),
    key => json(geminiAnswer([], { finishReason: 'SAFETY', finishMessage: words(key) })),
  ],
  openai_responses: [error(400), key => json(openaiResponse('', { status: words(key) }))],
}

test.each(Object.entries(providers))('a key in an argument of %s appears nowhere', async (name, replies) => {
  const folder = await temporaryFolder()
  const args = `model=m,base_url=${await tellTale(replies)},max_retries=0,api_key=${secret}`
  const { ended, said } = await runAndTell({ folder, model: ['--model', name, '--model-args', args], env: {} })
  expect(ended.code).toBe(2)
  expectNoSecretSaid(said)
  await expectNoSecretIn(folder)
})

test('a key in the environment appears nowhere', async () => {
  const folder = await temporaryFolder()
  const args = `model=m,base_url=${await tellTale(providers['openai']!)},max_retries=0`
  const line = { folder, model: ['--model', 'openai', '--model-args', args], env: { OPENAI_API_KEY: secret } }
  expectNoSecretSaid((await runAndTell(line)).said)
  await expectNoSecretIn(folder)
})

test('a key in a configuration file appears nowhere else', async () => {
  const folder = await temporaryFolder()
  const config = join(await temporaryFolder(), 'config.yaml')
  const args = { model: 'm', base_url: await tellTale(providers['openai']!), max_retries: 0, api_key: secret }
  await writeFile(config, JSON.stringify({ model: 'openai', model_args: args }))
  expectNoSecretSaid((await runAndTell({ folder, model: ['--config', config], env: {} })).said)
  await expectNoSecretIn(folder)
})

test.each([
  ['an argument that is misspelt', 'model=m,base_url=BASE,api_kye=SECRET'],
  ['an address with the key in it', 'model=m,base_url=http://u:SECRET@127.0.0.1:1/v1'],
  ['an address with the key behind it', 'model=m,base_url=http://127.0.0.1:1/v1?key=SECRET'],
])('rejects %s without showing it', async (_, args) => {
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), 3)
  const given = args.replace('BASE', 'http://127.0.0.1:1/v1').replace('SECRET', secret)
  const line = ['eval', '--tasks', task, '--store', join(folder, 'store'), '--model', 'openai', '--model-args', given]
  const ended = await runCli(line, { env: { PIPELINE_DEBUG: '1' } })
  expect(ended.code).toBe(1)
  expectNoSecretSaid([ended])
  for (const { where, bytes } of await everythingIn(folder))
    for (const form of forms) expect(bytes.includes(form), where).toBe(false)
})
