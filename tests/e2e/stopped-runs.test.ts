/** A run that stopped says why: in lists, reports and pages, and after the process was killed. */
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, startCli, type Started } from '../support/cli.js'
import { startFakeOpenai } from '../support/fake-openai.js'
import { spawnFakeOpenai, type FakeOpenaiProcess } from '../support/fake-openai-process.js'
import { startService } from '../support/service.js'
import { temporaryFolder } from '../support/store.js'
import { lookInto } from '../support/store-look.js'
import { writeTextTask } from '../support/text-task.js'

const docs = 40

interface Scene {
  readonly server: FakeOpenaiProcess
  readonly store: string
  readonly task: string
  readonly line: (...more: readonly string[]) => readonly string[]
}

/** @param flags of the fake server: with `--answers N` it answers no more after N requests, until it is told to go on */
async function scene(...flags: readonly string[]): Promise<Scene> {
  const server = await spawnFakeOpenai(flags)
  onTestFinished(() => server.stop())
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), docs)
  const store = join(folder, 'store')
  const model = ['--model', 'openai', '--model-args', `model=m,base_url=${server.url},api_key=sk-very-secret-1234`]
  return {
    server,
    store,
    task,
    line: (...more) => [...['eval', '--tasks', task, '--store', store, ...model], ...more],
  }
}

interface Listed {
  readonly name: string
  readonly stopped: { readonly code: string; readonly message: string; readonly at: string } | null
}

async function newestOf(store: string): Promise<Listed> {
  const { code, stdout } = await runCli(['runs', 'show', 'last', '--json', '--store', store])
  expect(code).toBe(0)
  return JSON.parse(stdout) as Listed
}

async function untilAnswered({ child, ended }: Started, store: string, answers: number): Promise<void> {
  while (!isAnswered(store, answers)) {
    if (child.exitCode !== null) throw new Error(`ended too early: ${(await ended).stderr}`)
    await sleep(10)
  }
}

function isAnswered(store: string, answers: number): boolean {
  try {
    return lookInto(store).responses >= answers
  } catch {
    return false
  }
}

test('lists and reports say that a run ran out of time, until it is complete', async () => {
  // Sending all docs one by one would take 12 seconds.
  const { store, line } = await scene('--latency', '300')
  expect(await runCli([...line('--max-time', '2s'), '--concurrency', '1'])).toMatchObject({ code: 2 })

  const { stopped } = await newestOf(store)
  expect(stopped).toMatchObject({ code: 'time', message: 'Its time was over (maxTime: "2.0 s": time is up).' })
  const list = await runCli(['runs', '--store', store])
  expect(list.stdout).toMatch(/failed \(time over\)/)
  const report = await runCli(['report', 'last', '--store', store])
  expect(report.stdout).toMatch(
    /\nStopped \d{4}-\d\d-\d\d \d\d:\d\d: Its time was over \(maxTime: "2.0 s": time is up\)\.\n/,
  )

  expect(await runCli([...line(), '--concurrency', '8'])).toMatchObject({ code: 0 })
  expect((await newestOf(store)).stopped).toBeNull()
  expect((await runCli(['report', 'last', '--store', store])).stdout).not.toContain('Stopped')
})

test('records Ctrl-C even if the process is then killed, and no reason for a later kill', async () => {
  const { server, store, line } = await scene('--answers', '8')
  const first = startCli(line())
  await untilAnswered(first, store, 8)
  first.child.kill('SIGINT')
  while (!first.told().includes('in flight')) await sleep(5)
  await sleep(200)
  first.child.kill('SIGKILL')
  await first.ended
  expect(await newestOf(store)).toMatchObject({
    stopped: { code: 'interrupted', message: 'It was interrupted: Ctrl-C (SIGINT).' },
  })

  await server.allow(8)
  const second = startCli(line())
  await untilAnswered(second, store, 12)
  // A process works on the run.
  expect((await newestOf(store)).stopped).toBeNull()
  second.child.kill('SIGKILL')
  await second.ended
  const killed = await newestOf(store)
  expect(killed.stopped).toMatchObject({
    code: 'killed',
    message: 'Its process ended without a message: it was killed, or the machine stopped.',
  })
  const shown = await runCli(['runs', 'show', 'last', '--store', store])
  expect(shown.stdout).toMatch(/\n *stopped +\d{4}-\d\d-\d\d \d\d:\d\d: Its process ended without a message/)
})

test('reports a used-up budget and unreadable docs with their reasons', async () => {
  const { store, task, line } = await scene()
  expect(await runCli(line('--max-requests', '5'))).toMatchObject({ code: 2 })
  expect(await newestOf(store)).toMatchObject({
    stopped: { code: 'budget', message: 'Its budget was used up (maxRequests: 5: 5 were sent).' },
  })
  expect((await runCli(['runs', '--store', store])).stdout).toContain('35 failed (budget used up)')
  // The reason of an older session remains if the next one could not start.
  await rm(join(task, '../docs.jsonl'))
  expect(await runCli(line())).toMatchObject({ code: 1 })
  expect(await newestOf(store)).toMatchObject({ stopped: { code: 'budget' } })
})

test('reports a key that the server rejects, without showing it', async () => {
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), docs)
  const store = join(folder, 'store')
  const key = 'sk-very-secret-1234'
  const server = await startFakeOpenai({
    fault: () => ({ status: 401, body: { error: { message: `Incorrect API key: ${key}` } } }),
  })
  onTestFinished(() => server.close())
  const model = ['--model', 'openai', '--model-args', `model=m,base_url=${server.url},api_key=${key}`]
  await runCli(['eval', '--tasks', task, '--store', store, ...model])
  const { stopped } = await newestOf(store)
  expect(stopped?.code).toBe('model_refused')
  expect(stopped?.message).toMatch(/^The server refused the first \d requests: .*Check OPENAI_API_KEY/)
  expect(JSON.stringify(stopped)).not.toContain(key)
})

interface JobInfo {
  readonly status: string
  readonly run: string | null
  readonly error: string | null
  readonly request: Readonly<Record<string, unknown>>
}

interface RunInfo extends Listed {
  readonly id: string
}

test('a service resumes a run that a command line stopped, and says if nothing is left', async () => {
  const { server, store, task, line } = await scene()
  expect(await runCli(line())).toMatchObject({ code: 0 })
  // A repeat of a run has the same settings and another id.
  expect(await runCli(line('--new-run', '--fresh', '--max-requests', '5'))).toMatchObject({ code: 2 })
  const { name } = await newestOf(store)
  const allowed = ['--allow-dir', dirname(task), '--allow-url', server.url]
  await using service = await startService(['--store', store, ...allowed])
  const run = await service.json<RunInfo>(`/runs/${name}`)
  expect(run.stopped).toMatchObject({ code: 'budget' })

  const { job_id: id } = await service.json<{ readonly job_id: string }>(`/view/runs/${name}/continue`, { json: {} })
  const job = await service.json<JobInfo>(`/jobs/${id}`, { headers: { prefer: 'wait=60' } })
  expect(job).toMatchObject({ status: 'completed', error: null, run: run.id, request: { resume: run.id } })
  expect(await service.json<RunInfo>(`/runs/${name}`)).toMatchObject({ stopped: null, counts: { answered: docs } })
  expect(await server.stats()).toMatchObject({ requests: 2 * docs })

  const again = await service.request(`/view/runs/${name}/continue`, { json: {} })
  expect([again.status, await again.text()]).toEqual([422, expect.stringContaining('is complete')])
  expect((await service.request('/view/runs/nobody/continue', { json: {} })).status).toBe(404)
})

test('a run of a job is resumed with the request of that job, even while its worker runs', async () => {
  const { server, store, task } = await scene()
  const allowed = ['--allow-dir', dirname(task), '--allow-url', server.url]
  await using service = await startService(['--store', store, ...allowed, '--secret', 'KEY=SECRET_KEY'], {
    env: { SECRET_KEY: 'sk-very-secret-1234' },
  })
  const request = {
    model: 'openai',
    model_args: { model: 'm', base_url: server.url, api_key: 'secret:KEY' },
    tasks: [task],
    max_requests: 30,
  }
  const ended = async (id: string): Promise<JobInfo> =>
    service.json<JobInfo>(`/jobs/${id}`, { headers: { prefer: 'wait=60' } })
  const first = await service.json<{ readonly job_id: string }>('/evaluate', { json: request })
  const { run, status } = await ended(first.job_id)
  expect(status).toBe('failed')
  expect(await service.json<RunInfo>(`/runs/${run ?? ''}`)).toMatchObject({ stopped: { code: 'budget' } })
  const next = await service.json<{ readonly job_id: string }>(`/view/runs/${run ?? ''}/continue`, { json: {} })
  expect(await ended(next.job_id)).toMatchObject({
    status: 'completed',
    run,
    request: { max_requests: 30, model_args: { api_key: 'secret:KEY' } },
  })
})

test('rejects forbidden parts of a job before the job is created', async () => {
  const { store, line } = await scene()
  expect(await runCli(line('--max-requests', '5'))).toMatchObject({ code: 2 })
  await using service = await startService(['--store', store])
  const refused = await service.request('/view/runs/last/continue', { json: {} })
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('--allow-dir')])
  expect(await service.json<{ readonly jobs: readonly unknown[] }>('/jobs')).toMatchObject({ jobs: [] })
  // A client cannot resume a run with a request that differs from it.
  const given = await service.request('/evaluate', { json: { model: 'dummy', tasks: ['x'], resume: 'last' } })
  expect([given.status, await given.text()]).toEqual([422, expect.stringContaining('resume')])
})
