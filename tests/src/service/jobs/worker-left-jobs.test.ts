/** A worker leaves jobs that it cannot do to others. */
import { randomUUID } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../cache/open.js'
import type { JsonObject } from '../../../../cache/records.js'
import { LeftJobs } from '../../../../src/service/jobs/left-jobs.js'
import { work, type WorkerSettings, type WorkerState } from '../../../../src/service/jobs/worker.js'
import { temporaryFolder } from '../../../support/store.js'
import { startFakeOpenai } from '../../../support/fake-openai.js'
import { writeTextTask } from '../../../support/text-task.js'

/** Prepares a store with jobs of one task, and a function that works on them for a moment. */
async function prepare(count: number, request: JsonObject = {}) {
  const folder = await realpath(await temporaryFolder())
  const tasks = join(folder, 'tasks')
  await mkdir(tasks)
  const task = await writeTextTask(tasks, 2)
  const store = await openStore(join(folder, 'store'))
  onTestFinished(() => store.close())
  const ids = Array.from({ length: count }, () => randomUUID())
  const job = { model: 'dummy', tasks: [task], ...request }
  for (const id of ids) await store.jobs.submit({ id, request: job, group: 'm' })
  const workAwhile = async (settings: Partial<WorkerSettings>): Promise<readonly WorkerState[]> => {
    const states: WorkerState[] = []
    await work(store, {
      env: {},
      includePaths: [],
      plugins: [],
      policy: { allowDirs: [tasks], allowUrls: [], secrets: new Map(), allowCommands: false },
      shutdown: new AbortController().signal,
      now: () => performance.now(),
      limits: {},
      idleMs: 500,
      onState: state => states.push(state),
      ...settings,
    })
    return states
  }
  return { store, ids, tasks, workAwhile }
}

const noFolder = { allowDirs: [], allowUrls: [], secrets: new Map<string, never>(), allowCommands: false }

test('leaves jobs with a disallowed folder in the queue for a worker that allows it', async () => {
  const { store, ids, workAwhile } = await prepare(3)
  const states = await workAwhile({ policy: noFolder })
  expect(states.filter(({ state }) => state === 'busy')).toEqual([])
  expect(states.flatMap(state => (state.state === 'left' ? [state.job] : []))).toEqual(ids)
  for (const id of ids) {
    expect(await store.jobs.find(id)).toMatchObject({ status: 'queued', starts: 0 })
    expect((await store.jobs.events(id, 0, 9)).map(({ type }) => type)).toEqual(['queued', 'declined'])
    expect(await store.jobs.declines(id)).toEqual([expect.stringContaining('--allow-dir')])
  }
  await workAwhile({})
  expect(await store.jobs.counts()).toMatchObject({ queued: 0, completed: 3, failed: 0 })
})

test('leaves a job with an unknown value to another version', async () => {
  const { store, workAwhile } = await prepare(1, { limit: 'from-the-future' })
  expect(await workAwhile({})).toContainEqual(expect.objectContaining({ state: 'left' }))
  expect(await store.jobs.counts()).toMatchObject({ queued: 1, failed: 0 })
})

test.each([
  ['a key', { model: 'openai', model_args: { model: 'm' } }, /needs an API key. Set OPENAI_API_KEY/],
  ['a task', { tasks: ['no_such_task'] }, /no_such_task/],
])('a worker without %s returns the job if others may have it, or else fails it', async (_, request, text) => {
  const { store, ids, workAwhile } = await prepare(2, request)
  const states = await workAwhile({ leavesJobs: true })
  expect(states.flatMap(state => (state.state === 'left' ? [state.job] : []))).toEqual(ids)
  for (const id of ids) {
    expect(await store.jobs.find(id)).toMatchObject({ status: 'queued', starts: 0 })
    const why = (await store.jobs.events(id, 0, 9)).at(-1)?.data['why']
    expect(why).toMatch(text)
  }
  await workAwhile({})
  expect(await store.jobs.counts()).toMatchObject({ queued: 0, failed: 2 })
  expect((await store.jobs.find(ids[0]!))?.error).toMatch(text)
})

test('a worker whose key the server refuses leaves its jobs, and one with another key does them', async () => {
  const server = await startFakeOpenai({
    fault: ({ headers }) => (headers['authorization'] === 'Bearer good' ? undefined : { status: 401 }),
  })
  onTestFinished(() => server.close())
  const url = `${server.url}/`
  const request = { model: 'openai', model_args: { model: 'm', base_url: server.url } }
  const { store, ids, tasks, workAwhile } = await prepare(2, request)
  const policy = { allowDirs: [tasks], allowUrls: [url], secrets: new Map<string, never>(), allowCommands: false }
  const states = await workAwhile({ leavesJobs: true, policy, modelArgs: { api_key: 'wrong' } })
  expect(states.flatMap(state => (state.state === 'left' ? [state.job] : []))).toEqual(ids)
  for (const id of ids) {
    expect(await store.jobs.find(id)).toMatchObject({ status: 'queued', starts: 0 })
    expect(await store.jobs.declines(id)).toEqual([expect.stringMatching(/refused.*Check/)])
  }
  await workAwhile({ leavesJobs: true, policy, modelArgs: { api_key: 'good' } })
  expect(await store.jobs.counts()).toMatchObject({ queued: 0, completed: 2 })
})

test('jobs that were left and are gone from the queue are forgotten', async () => {
  let queued = ['b', 'c', 'z']
  const left = new LeftJobs({ jobs: { queue: () => Promise.resolve(queued) } }, 3)
  for (const job of ['a', 'b']) await left.add(job)
  expect(left.ids).toEqual(['a', 'b'])
  await left.add('c')
  expect(left.ids).toEqual(['b', 'c'])
  queued = ['e']
  for (const job of ['d', 'e', 'f']) await left.add(job)
  expect(left.ids).toEqual(['e'])
})
