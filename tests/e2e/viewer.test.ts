import { once } from 'node:events'
import { createServer } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunMoved, RunsPage, RunView, SampleRows } from '../../src/present/page/data/index.js'
import { runCli, startCli, type Started } from '../support/cli.js'
import { startFakeOpenai } from '../support/fake-openai.js'
import { yesTask } from '../support/service.js'

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'viewer-e2e-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return folder
}

interface OpenViewer {
  readonly origin: string
  readonly link: string
  readonly cookie: string
  readonly started: Started
  json<T>(path: string): Promise<T>
}

/** Starts `pipeline ui` and exchanges the address that it prints. */
async function openViewer(args: readonly string[]): Promise<OpenViewer> {
  const started = startCli(['ui', '--no-open', ...args])
  onTestFinished(async () => {
    started.child.kill('SIGKILL')
    await started.ended
  })
  let said = ''
  started.child.stdout?.on('data', (text: string) => (said += text))
  const ended = started.ended.then(end => Promise.reject(new Error(`it ended: ${end.stderr}`)))
  ended.catch(() => undefined)
  while (!said.includes('\n')) await Promise.race([once(started.child.stdout!, 'data'), ended])
  const link = /viewer: (http:\S+)/.exec(said)?.[1] ?? ''
  const answer = await fetch(link, { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/ui/'])
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  const { origin } = new URL(link)
  return {
    origin,
    link,
    cookie,
    started,
    async json<T>(path: string) {
      const found = await fetch(origin + path, { headers: { cookie } })
      if (found.status !== 200) throw new Error(`${path}: ${found.status} ${await found.text()}`)
      return (await found.json()) as T
    },
  }
}

/** Reads events of runs until one satisfies the condition. */
async function untilMoved({ origin, cookie }: OpenViewer, isMeant: (run: RunMoved) => boolean): Promise<RunMoved> {
  const answer = await fetch(`${origin}/view/events`, { headers: { cookie } })
  let text = ''
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    for (const [, data = '[]'] of text.matchAll(/event: runs\ndata: (.*)\n\n/g)) {
      const found = (JSON.parse(data) as readonly RunMoved[]).find(isMeant)
      if (found !== undefined) return found
    }
    text = text.slice(text.lastIndexOf('\n\n') + 2)
  }
  throw new Error('the events ended')
}

test('shows a run while another process evaluates, and after that process was killed', async () => {
  const folder = await temporaryFolder()
  const tasks = await yesTask(folder, 200)
  const store = join(folder, 'store')
  // Some requests are answered, the others wait until the server ends.
  const server = await startFakeOpenai({ answer: () => 'yes', answers: 50 })
  onTestFinished(() => server.close())
  const flags = ['--store', store, '--include-path', tasks]
  const model = ['--model', 'openai', '--model-args', `model=m,base_url=${server.url},api_key=none`]
  expect((await runCli(['eval', ...flags, ...model, '--tasks', 'yes_task', '--limit', '5'])).code).toBe(0)
  const viewer = await openViewer(['--store', store, '--port', '0'])
  expect((await viewer.json<RunsPage>('/view/runs')).rows.map(({ state }) => state)).toEqual(['complete'])
  const writer = startCli(['eval', ...flags, ...model, '--tasks', 'yes_task', '--concurrency', '8'])
  onTestFinished(() => void writer.child.kill('SIGKILL'))
  const moved = await untilMoved(viewer, ({ state, progress }) => state === 'running' && progress.answered >= 40)
  expect((await viewer.json<RunView>(`/view/runs/${moved.name}`)).state).toBe('running')
  writer.child.kill('SIGKILL')
  await writer.ended
  await expect
    .poll(async () => (await viewer.json<RunView>(`/view/runs/${moved.name}`)).state, { timeout: 60_000 })
    .toBe('incomplete')
  const page = await viewer.json<SampleRows>(`/view/runs/${moved.name}/samples?limit=5`)
  expect([page.rows.length, page.rows[0]?.answer]).toEqual([5, 'yes'])
  expect(await viewer.json(`/view/runs/${moved.name}/samples/0/3`)).toMatchObject({ index: 3, taskName: 'yes_task' })
  viewer.started.child.kill('SIGTERM')
  expect((await viewer.started.ended).code).toBe(0)
})

test('needs the printed address, and a read-only viewer starts nothing', async () => {
  const folder = await temporaryFolder()
  const tasks = await yesTask(folder, 3)
  const store = join(folder, 'store')
  const server = await startFakeOpenai({ answer: () => 'yes' })
  onTestFinished(() => server.close())
  const model = ['--model', 'openai', '--model-args', `model=m,base_url=${server.url},api_key=none`]
  await runCli(['eval', '--store', store, '--include-path', tasks, '--tasks', 'yes_task', ...model])
  const viewer = await openViewer(['last', '--read-only', '--store', store, '--port', '0'])
  const [run] = (await viewer.json<RunsPage>('/view/runs')).rows
  expect(viewer.link).toContain(`#/runs/${run?.name ?? ''}`)
  expect((await fetch(`${viewer.origin}/view/runs`)).status).toBe(401)
  expect((await fetch(`${viewer.origin}/ui/`)).status).toBe(200)
  const { origin, cookie } = viewer
  const submitted = await fetch(`${origin}/evaluate`, {
    method: 'POST',
    headers: { cookie, origin, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'dummy', tasks: 'yes_task' }),
  })
  expect(submitted.status).toBe(403)
  const wrong = await runCli(['ui', 'no-such-run', '--no-open', '--store', store, '--port', '0'])
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('no run "no-such-run"')])
  const missing = await runCli(['ui', '--no-open', '--store', join(folder, 'mistyped'), '--port', '0'])
  expect(missing.code).toBe(1)
})

test('reports a port in use if it was given', async () => {
  const folder = await temporaryFolder()
  const store = join(folder, 'store')
  const tasks = await yesTask(folder, 1)
  await runCli(['eval', '--store', store, '--include-path', tasks, '--tasks', 'yes_task', '--model', 'dummy'])
  const other = createServer()
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const ended = await runCli(['ui', '--no-open', '--store', store, '--port', String(port)])
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('another program listens there')])
})
