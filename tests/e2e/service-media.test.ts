/** Rows of a job's data name addresses of this machine and files of other folders. No way into the program reads them. */
import { once } from 'node:events'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, onTestFinished, test } from 'vitest'
import { bin, runCli } from '../support/cli.js'
import { called } from '../support/mcp-call.js'
import { picture, yaml } from '../support/own-task.js'
import { startService, yesTask } from '../support/service.js'
import { temporaryFolder } from '../support/store.js'
import { startViewer } from '../support/viewer-process.js'

interface Scene {
  readonly store: string
  /** The folder of the task, `allowed/mytask`. */
  readonly task: string
  readonly flags: readonly string[]
  /** Paths that the server of media was asked for. */
  readonly asked: readonly string[]
}

const job = { model: 'dummy', model_args: { mode: 'fixed', text: 'blue' } }
/** The rows with allowed pictures: beside the data, and in a folder of --allow-dir. */
const allowedRows = 2

/** Writes a task whose rows name forbidden files and addresses, after two allowed ones. */
async function mediaScene(): Promise<Scene> {
  const folder = await temporaryFolder()
  const [task, other, private_] = ['allowed/mytask', 'allowed/other', 'private'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const asked: string[] = []
  const bytes = await picture(0)
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/moved.png') response.writeHead(302, { location: '/target.png' }).end()
    else response.end(bytes)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  for (const path of [task, other, private_]) await mkdir(path, { recursive: true })
  for (const path of [task, other, private_]) await writeFile(join(path, 'a.png'), bytes)
  await symlink(join(private_, 'a.png'), join(task, 'link.png'))
  const hosts = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]', '0']
  const rows = [
    'a.png',
    '../other/a.png',
    ...hosts.map((host, index) => `http://${host}:${port}/${index}.png`),
    `http://127.0.0.1:${port}/moved.png`,
    join(private_, 'a.png'),
    '../../private/a.png',
    'link.png',
    '/etc/hostname',
  ]
  await writeFile(join(task, 'mytask.yaml'), yaml)
  await writeFile(
    join(task, 'questions.jsonl'),
    rows.map((image, index) => `${JSON.stringify({ question: `Which ${index}?`, image, answer: 'blue' })}\n`).join(''),
  )
  return {
    store: join(folder, 'store'),
    task,
    flags: ['--store', join(folder, 'store'), '--allow-dir', join(folder, 'allowed')],
    asked,
  }
}

/** What must hold for the results, however the job was submitted. */
async function expectRefused({ store, asked }: Scene, counts: unknown): Promise<void> {
  expect(counts).toMatchObject({ answered: allowedRows })
  expect(asked).toEqual([])
  const { stdout } = await runCli(['report', 'last', '--store', store, '--samples', 'failed', '--json'])
  const reasons = stdout.match(/(is not an address of the public internet|is outside of the folders)/g) ?? []
  expect(new Set(reasons).size).toBe(2)
}

test.each([{}, { PIPELINE_MEDIA_HOSTS: '' }])(
  'a job of a service with %j reads only allowed files and addresses',
  async env => {
    const scene = await mediaScene()
    await using service = await startService(scene.flags, { env })
    const ended = await service.json<{ readonly job: { readonly result: { readonly counts: object } } }>('/evaluate', {
      json: { ...job, tasks: scene.task },
      headers: { prefer: 'wait=60' },
    })
    await expectRefused(scene, ended.job.result.counts)
  },
)

test('a run of the viewer reads only public addresses and allowed folders', async () => {
  const scene = await mediaScene()
  // The viewer opens a store that exists.
  const tasks = await yesTask(join(scene.task, '../..'), 1)
  await runCli(['eval', '--store', scene.store, '--include-path', tasks, '--tasks', 'yes_task', '--model', 'dummy'])
  const viewer = await startViewer(scene.store, scene.flags.slice(2))
  onTestFinished(() => viewer.stop())
  const { origin } = viewer
  const entered = await fetch(viewer.address, { redirect: 'manual' })
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  const answer = await fetch(`${origin}/evaluate`, {
    method: 'POST',
    headers: { cookie, origin, 'content-type': 'application/json', prefer: 'wait=60' },
    body: JSON.stringify({ ...job, tasks: scene.task }),
  })
  const ended = (await answer.json()) as { readonly job: { readonly result: { readonly counts: object } } }
  await expectRefused(scene, ended.job.result.counts)
})

test('an evaluation of an agent reads only public addresses and allowed folders', async () => {
  const scene = await mediaScene()
  const args = [bin, 'mcp', ...scene.flags]
  const agent = new Client({ name: 'test', version: '1' })
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }))
  onTestFinished(() => agent.close())
  const { data } = await called(agent, 'evaluate', { ...job, tasks: [scene.task], mode: 'sync' }, { timeout: 60_000 })
  await expectRefused(scene, (data['results'] as { readonly counts: object }).counts)
})

test("PIPELINE_MEDIA_HOSTS=any allows the server's own network, and nothing else", async () => {
  const scene = await mediaScene()
  await using service = await startService(scene.flags, { env: { PIPELINE_MEDIA_HOSTS: 'any' } })
  const ended = await service.json<{ readonly job: { readonly result: { readonly counts: object } } }>('/evaluate', {
    json: { ...job, tasks: scene.task },
    headers: { prefer: 'wait=60' },
  })
  expect(scene.asked).toContain('/target.png')
  expect(ended.job.result.counts).not.toMatchObject({ answered: allowedRows })
  const { stdout } = await runCli(['report', 'last', '--store', scene.store, '--samples', 'failed', '--json'])
  expect(stdout).toContain('is outside of the folders')
})
