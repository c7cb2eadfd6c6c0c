import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { completion } from '../support/fake-openai.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

const secret = 'sk-very/secret+7f3a9b'

/** A server that tells whoever listens what it was sent, with a status or as an answer. */
async function tellTale(reply: (authorization: string) => { status: number; body: string }): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status, body } = reply(request.headers.authorization ?? 'no key')
      response.writeHead(status, { 'content-type': 'application/json', 'x-echo': request.headers.authorization ?? '' })
      response.end(body)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const words = (key: string): string => `bad request from ${key}, also ${encodeURIComponent(key)}`
const error = (status: number) => (key: string) => ({
  status,
  body: JSON.stringify({ error: { message: words(key) } }),
})

async function expectNoSecretIn(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  expect(files.length).toBeGreaterThan(3)
  for (const file of files) {
    const bytes = await readFile(join(file.parentPath, file.name))
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
      expect(bytes.includes(form), file.name).toBe(false)
  }
}

const servers = [
  ['answers', () => ({ status: 200, body: JSON.stringify(completion('yes')) })],
  ['refuses the key', error(401)],
  ['forbids', error(403)],
  ['refuses the request', error(400)],
  ['is overloaded', error(429)],
  ['breaks', error(500)],
  ['says its error in plain text', key => ({ status: 502, body: words(key) })],
  ['sends no JSON', key => ({ status: 200, body: words(key) })],
  ['sends an error in an answer', key => ({ status: 200, body: JSON.stringify({ error: { message: words(key) } }) })],
] satisfies [string, (key: string) => { status: number; body: string }][]

describe.each([
  ['in an argument', (key: string) => ({ args: `,api_key=${key}`, env: {} })],
  ['in the environment', (key: string) => ({ args: '', env: { OPENAI_API_KEY: key } })],
])('a key %s appears nowhere', (_, given) => {
  test.each(servers)('when the server %s', async (_, reply) => {
    const folder = await temporaryFolder()
    const { args, env } = given(secret)
    const base = await tellTale(reply)
    const task = await writeTextTask(join(folder, 'task'), 3)
    const ended = await runCli(
      [
        ...['eval', '--tasks', task, '--store', join(folder, 'store'), '--model', 'openai'],
        ...['--model-args', `model=m,base_url=${base},max_retries=0${args}`],
        ...['--output-path', join(folder, 'results'), '--log-samples'],
      ],
      { env: { ...env, PIPELINE_DEBUG: '1' } },
    )
    const exported = await runCli([
      'export',
      'last',
      '--store',
      join(folder, 'store'),
      '-o',
      join(folder, 'x.pipeline'),
    ])
    const shown = await runCli(['report', 'last', '--samples', 'all', '--json', '--store', join(folder, 'store')])
    const listed = await runCli(['runs', 'show', 'last', '--json', '--store', join(folder, 'store')])
    for (const { stdout, stderr } of [ended, exported, shown, listed])
      for (const form of [secret, encodeURIComponent(secret)]) expect(stdout + stderr).not.toContain(form)
    expect([0, 2]).toContain(ended.code)
    await expectNoSecretIn(folder)
  })
})
