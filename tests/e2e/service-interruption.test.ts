import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { spawnFakeOpenai, type FakeOpenaiProcess } from '../support/fake-openai-process.js'
import {
  followJob,
  startService,
  submitUntilAccepted,
  type SeenEvent,
  type ServiceProcess,
} from '../support/service-process.js'
import { temporaryFolder } from '../support/store.js'
import { lookInto } from '../support/store-look.js'
import { writeTextTask } from '../support/text-task.js'

const docs = 40
const concurrency = 2

interface Scene {
  readonly fake: FakeOpenaiProcess
  readonly store: string
  start(port?: number): Promise<ServiceProcess>
  submit(service: ServiceProcess, key: string): Promise<string>
  follow(service: ServiceProcess, id: string): { readonly events: readonly SeenEvent[]; readonly end: Promise<void> }
}

/** A model server that answers ten requests and holds the others. */
async function scene(): Promise<Scene> {
  const fake = await spawnFakeOpenai(['--answers', '10'])
  onTestFinished(() => fake.stop())
  const folder = await temporaryFolder()
  await writeTextTask(join(folder, 'tasks'), docs)
  const store = join(folder, 'store')
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const args = ['--store', store, '--include-path', join(folder, 'tasks'), '--allow-url', fake.url, '--max-jobs', '1']
  const body = {
    ...{ model: 'openai', tasks: ['echoes'] },
    model_args: { model: 'm', base_url: fake.url, num_concurrent: concurrency },
  }
  return {
    fake,
    store,
    async start(port) {
      const service = await startService(args, port)
      onTestFinished(() => void service.child.kill('SIGKILL'))
      return service
    },
    submit: ({ origin }, key) => submitUntilAccepted(origin, { key, body }, stop.signal),
    follow({ origin }, id) {
      const events: SeenEvent[] = []
      return { events, end: followJob(origin, id, { onEvent: event => events.push(event), signal: stop.signal }) }
    },
  }
}

/** Waits until ten answers are stored and the next requests are held. */
async function untilHeld({ fake, store }: Scene): Promise<void> {
  while (lookInto(store).responses < 10 || (await fake.stats()).inFlight < concurrency) await pause(10)
}

const typesOf = (events: readonly SeenEvent[]): readonly string[] =>
  events.map(({ type }) => type).filter(type => type !== 'progress' && type !== 'note')

const jobOf = async ({ origin }: ServiceProcess, id: string) =>
  (await (await fetch(`${origin}/jobs/${id}`)).json()) as { status: string; cancelling: boolean }

test('a cancelled job finishes requests in flight, and the same job sends only the rest', async () => {
  const given = await scene()
  const service = await given.start()
  const id = await given.submit(service, 'first')
  const { events, end } = given.follow(service, id)
  await untilHeld(given)
  const cancelled = await fetch(`${service.origin}/jobs/${id}`, { method: 'DELETE' })
  expect(await cancelled.json()).toEqual({
    message: `Job ${id} is being cancelled: requests in flight are finished`,
  })
  expect(await jobOf(service, id)).toMatchObject({ status: 'running', cancelling: true })
  for (let more = 1; (await jobOf(service, id)).status === 'running'; more += 1) {
    if (more % 50 === 0) await given.fake.allow(1)
    await pause(10)
  }
  await end
  expect(typesOf(events)).toEqual(['queued', 'started', 'run', 'cancelled'])
  expect(await jobOf(service, id)).toMatchObject({ status: 'cancelled' })
  // No new request was sent, and every sent one is stored.
  const { requests } = await given.fake.stats()
  expect(requests).toBeLessThan(docs)
  expect(lookInto(given.store).responses).toBe(requests)

  await given.fake.allow(Infinity)
  const again = await given.submit(service, 'second')
  const second = given.follow(service, again)
  await second.end
  expect(typesOf(second.events).at(-1)).toBe('completed')
  expect(await given.fake.stats()).toMatchObject({ requests: docs, distinct: docs })
  service.child.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0 })
})

test('a stopped server puts its jobs back, and the next one resumes them', async () => {
  const given = await scene()
  const service = await given.start()
  const id = await given.submit(service, 'only')
  const { events, end } = given.follow(service, id)
  await untilHeld(given)
  service.child.kill('SIGTERM')
  // The worker waits for its requests in flight before it gives the job back.
  for (let looks = 1; service.child.exitCode === null; looks += 1) {
    if (looks % 50 === 0) await given.fake.allow(1)
    await pause(10)
  }
  expect(await service.ended).toMatchObject({ code: 0 })
  const { requests } = await given.fake.stats()
  expect(requests).toBeLessThan(docs)
  expect(lookInto(given.store).responses).toBe(requests)

  const next = await given.start(service.port)
  await given.fake.allow(Infinity)
  await end
  expect(typesOf(events)).toEqual(['queued', 'started', 'run', 'requeued', 'resumed', 'run', 'completed'])
  expect(events.map(event => event.id)).toEqual(events.map((_, index) => index + 1))
  expect(await given.fake.stats()).toMatchObject({ requests: docs, distinct: docs })
  next.child.kill('SIGTERM')
  expect(await next.ended).toMatchObject({ code: 0 })
})

test('a recheck that a stopped server left continues where it was', async () => {
  const given = await scene()
  const service = await given.start()
  await given.fake.allow(docs)
  const first = await given.submit(service, 'run')
  await given.follow(service, first).end
  const answer = await fetch(`${service.origin}/recheck`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ run: 'last', k: 20 }),
  })
  const { job_id: id } = (await answer.json()) as { readonly job_id: string }
  const { events, end } = given.follow(service, id)
  await given.fake.allow(5)
  while (lookInto(given.store).responses < docs + 5 || (await given.fake.stats()).inFlight < concurrency)
    await pause(10)
  service.child.kill('SIGTERM')
  for (let looks = 1; service.child.exitCode === null; looks += 1) {
    if (looks % 50 === 0) await given.fake.allow(1)
    await pause(10)
  }
  const { requests } = await given.fake.stats()
  expect(requests).toBeLessThan(docs + 20)

  const next = await given.start(service.port)
  await given.fake.allow(Infinity)
  await end
  expect(typesOf(events)).toEqual(['queued', 'started', 'run', 'requeued', 'resumed', 'run', 'completed'])
  expect(await given.fake.stats()).toMatchObject({ requests: docs + 20 })
  const job = (await (await fetch(`${next.origin}/jobs/${id}`)).json()) as { readonly result: object }
  expect(job.result).toMatchObject({ n: 20, matches: 20, unanswered: 0 })
  next.child.kill('SIGTERM')
  expect(await next.ended).toMatchObject({ code: 0 })
})
