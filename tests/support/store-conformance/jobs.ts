import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { JobLease, Store } from '../../../cache/store.js'
import type { StoreWorld } from './world.js'
import { claimed, done, eventTypes, newJob, submitted, submittedAll } from './job-scene.js'

type MakeWorld = () => Promise<StoreWorld>

async function claimedAfterSubmit(store: Store): Promise<JobLease | undefined> {
  await submitted(store)
  return store.jobs.claim()
}

export function describeJobs(makeWorld: MakeWorld): void {
  describe('a claim that finds no job', () => {
    test.each<[string, (store: Store) => Promise<unknown>]>([
      ['in an empty queue', () => Promise.resolve()],
      ['that the worker may take', store => submitted(store)],
      ['of its stages', async store => store.jobs.release((await claimedAfterSubmit(store))!, { nextStage: 'judge' })],
    ])('%s wakes nobody', async (what, prepare) => {
      const world = await makeWorld()
      const [worker, other] = [await world.open('first'), await world.open('second')]
      await prepare(worker)
      const before = await other.dataVersion()
      const limits = { stages: ['input', 'model'] as const, ...(what.includes('may') && { mayTake: () => false }) }
      for (let look = 0; look < 5; look++) expect(await worker.jobs.claim(limits)).toBeUndefined()
      expect(await other.dataVersion()).toBe(before)
    })
  })

  describe('submitted jobs', () => {
    test('every process finds a job as it was submitted', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const job = newJob({
        ...{ request: { tasks: ['t', 'ü'], limit: 3, nested: { none: null } }, group: 'openai/gpt', priority: -2 },
        ...{ labels: { team: 'vision', 'a \'quoted\' "name"': '$.x' }, idempotencyKey: 'key', submitter: 'ab12' },
        webhook: 'https://example.org/hook',
      })
      const { job: added, isNew } = await first.jobs.submit(job)
      expect(isNew).toBe(true)
      expect(added).toEqual({
        ...{ ...job, status: 'queued', createdAt: expect.any(Number) as number, starts: 0, isCancelling: false },
        webhookAttempts: 0,
      })
      expect(await second.jobs.find(job.id)).toEqual(added)
      expect(await second.jobs.find(randomUUID())).toBeUndefined()
    })

    test('omitted fields have their defaults', async () => {
      const store = await (await makeWorld()).open()
      const job = newJob()
      expect((await store.jobs.submit(job)).job).toEqual({
        ...{ ...job, priority: 0, labels: {}, status: 'queued', createdAt: expect.any(Number) as number, starts: 0 },
        isCancelling: false,
      })
    })

    test('submitting the same idempotency key again gives the first job', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const { id } = await submitted(first, { idempotencyKey: 'key' })
      const again = await second.jobs.submit(newJob({ idempotencyKey: 'key', group: 'other' }))
      expect(again).toMatchObject({ isNew: false, job: { id, group: 'dummy' } })
      expect(await eventTypes(second, id)).toEqual(['queued'])
      expect(await second.jobs.counts()).toMatchObject({ queued: 1 })
      expect((await second.jobs.submit(newJob({ idempotencyKey: 'other' }))).isNew).toBe(true)
    })

    test('concurrent submissions with one key make one job', async () => {
      const world = await makeWorld()
      const stores = [await world.open('first'), await world.open('second')]
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, index) => stores[index % 2]!.jobs.submit(newJob({ idempotencyKey: 'key' }))),
      )
      expect(all.filter(({ isNew }) => isNew)).toHaveLength(1)
      expect(new Set(all.map(({ job }) => job.id)).size).toBe(1)
    })

    test('an existing id is an error and changes nothing', async () => {
      const store = await (await makeWorld()).open()
      const { id } = await submitted(store)
      await expect(submitted(store, { id, group: 'other' })).rejects.toThrow(`there is a job ${id} already`)
      expect(await store.jobs.find(id)).toMatchObject({ group: 'dummy' })
    })
  })

  describe('the queue', () => {
    test('jobs are claimed by priority, then in the order of submission', async () => {
      const store = await (await makeWorld()).open()
      const [a, b, c, d] = await submittedAll(store, [{}, { priority: 5 }, { priority: -1 }, { priority: 5 }])
      expect(await store.jobs.queue(10)).toEqual([b, d, a, c])
      expect(await store.jobs.queue(2)).toEqual([b, d])
      const since = (await store.jobs.find(a!))?.createdAt
      expect(await store.jobs.waiting()).toEqual([{ stage: 'input', jobs: 4, since }])
      const positions = [a, b, c, d].map(async id => store.jobs.position((await store.jobs.find(id!))!))
      expect(await Promise.all(positions)).toEqual([2, 0, 3, 1])
      const given = [await claimed(store), await claimed(store), await claimed(store), await claimed(store)]
      expect(given.map(({ job }) => job.id)).toEqual([b, d, a, c])
      expect(await store.jobs.claim()).toBeUndefined()
      expect(await store.jobs.queue(10)).toEqual([])
      expect(await store.jobs.waiting()).toEqual([])
      expect(await store.jobs.position(given[2]!.job)).toBe(0)
    })

    test('a claimed job runs, with an increasing token', async () => {
      const store = await (await makeWorld()).open()
      await submittedAll(store, [{}, {}])
      const [first, second] = [await claimed(store), await claimed(store)]
      expect(first.job).toMatchObject({ status: 'running', starts: 1, startedAt: expect.any(Number) as number })
      expect(await store.jobs.find(first.job.id)).toEqual(first.job)
      expect(second.token).toBeGreaterThan(first.token)
      expect(await store.jobs.counts()).toEqual({ queued: 0, running: 2, completed: 0, failed: 0, cancelled: 0 })
    })

    test('two concurrent claimers get each of many jobs exactly once', async () => {
      const world = await makeWorld()
      const stores = [await world.open('first'), await world.open('second')]
      const ids = await Promise.all(Array.from({ length: 200 }, async () => (await submitted(stores[0]!)).id))
      const taken: string[] = []
      const worker = async (store: Store): Promise<void> => {
        for (let lease = await store.jobs.claim(); lease !== undefined; lease = await store.jobs.claim()) {
          taken.push(lease.job.id)
          expect(await store.jobs.finish(lease, done)).toBe(true)
        }
      }
      await Promise.all([...stores, ...stores].map(worker))
      expect([...taken].sort()).toEqual([...ids].sort())
      expect(await stores[0]!.jobs.counts()).toMatchObject({ queued: 0, running: 0, completed: 200 })
    })

    test('a group at its limit waits, and others overtake it', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const [a, b, c, other] = await submittedAll(first, [{}, {}, {}, { group: 'other' }])
      const limits = { perGroup: 2 }
      const held = await first.jobs.claim(limits)
      expect(held?.job.id).toBe(a)
      expect((await second.jobs.claim(limits))?.job.id).toBe(b)
      expect((await second.jobs.claim(limits))?.job.id).toBe(other)
      expect(await first.jobs.claim(limits)).toBeUndefined()
      await first.jobs.finish(held!, done)
      expect((await second.jobs.claim(limits))?.job.id).toBe(c)
    })

    test('jobs that a worker leaves to others stay unchanged, and it claims the next one', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const [a, b] = await submittedAll(first, [{}, {}])
      const asked: string[] = []
      const refuse = ({ id }: { readonly id: string }): boolean => asked.push(id) === 0
      expect(await first.jobs.claim({ mayTake: refuse })).toBeUndefined()
      expect(await first.jobs.claim({ skipped: [a!], mayTake: refuse })).toBeUndefined()
      expect(asked).toEqual([a, b])
      expect(await eventTypes(first, a!)).toEqual(['queued'])
      expect((await first.jobs.claim({ skipped: [a!], mayTake: () => true }))?.job.id).toBe(b)
      expect(await first.jobs.claim({ skipped: [a!] })).toBeUndefined()
      const taken = await claimed(second)
      expect(taken.job).toMatchObject({ id: a, starts: 1 })
      expect(await second.jobs.release(taken, { why: 'no key' })).toBe(true)
      expect((await second.jobs.events(a!, 0, 9)).at(-1)).toMatchObject({ type: 'requeued', data: { why: 'no key' } })
      expect((await claimed(second)).job).toMatchObject({ id: a, starts: 1 })
      await world.kill('first')
      expect(await second.jobs.claim({ skipped: [b!] })).toBeUndefined()
    })

    test('the reasons for which workers leave a queued job are kept, each once, until it is taken', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const [a, b] = await submittedAll(first, [{}, {}])
      expect(await first.jobs.declines(a!)).toEqual([])
      for (const store of [first, second]) await store.jobs.decline(a!, 'no folder')
      await second.jobs.decline(a!, 'no key')
      expect(await eventTypes(first, a!)).toEqual(['queued', 'declined', 'declined'])
      expect(await first.jobs.declines(a!)).toEqual(['no folder', 'no key'])
      expect(await first.jobs.declines(b!)).toEqual([])
      const lease = await claimed(second)
      expect(lease.job.id).toBe(a)
      expect(await first.jobs.declines(a!)).toEqual([])
      await first.jobs.decline(a!, 'too late')
      await second.jobs.release(lease, { why: 'the key is wrong' })
      expect(await first.jobs.declines(a!)).toEqual(['no folder', 'no key', 'the key is wrong'])
      await first.jobs.decline(randomUUID(), 'of no job')
    })

    test('jobs of a dead process do not count for their group', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const [a, b] = await submittedAll(first, [{}, {}])
      await first.jobs.claim()
      expect(await second.jobs.claim({ perGroup: 1 })).toBeUndefined()
      await world.kill('first')
      expect((await second.jobs.claim({ perGroup: 1 }))?.job.id).toBe(a)
      expect(await second.jobs.claim({ perGroup: 1 })).toBeUndefined()
      expect(await second.jobs.queue(9)).toEqual([b])
    })
  })

  describe('leases of jobs', () => {
    test('a job of a dead process is claimed before later ones, and the old lease writes nothing', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const [early, later, urgent] = await submittedAll(first, [{}, {}, { priority: 1 }])
      await claimed(first)
      const old = await claimed(first)
      expect(old.job.id).toBe(early)
      await world.kill('first')
      const taken = [await claimed(second), await claimed(second), await claimed(second)]
      expect(taken.map(({ job }) => job.id)).toEqual([urgent, early, later])
      expect(taken[1]!.job).toMatchObject({ starts: 2, startedAt: old.job.startedAt })
      expect(taken[1]!.token).toBeGreaterThan(old.token)
      expect(await first.jobs.append(old, [{ type: 'late', data: {} }], { run: 'r', progress: true })).toBe(false)
      expect(await first.jobs.release(old)).toBe(false)
      expect(await first.jobs.finish(old, done)).toBe(false)
      expect(await second.jobs.find(early!)).toEqual(taken[1]!.job)
      expect(await eventTypes(second, early!)).toEqual(['queued', 'started', 'resumed'])
    })

    test('a job claimed by a living process is not claimed by another', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      await submitted(first)
      await claimed(first)
      expect(await second.jobs.claim()).toBeUndefined()
      expect(await first.jobs.claim()).toBeUndefined()
    })

    test('labels match as a whole, whatever characters they contain', async () => {
      const store = await (await makeWorld()).open()
      const labels = [{ a: 'b' }, { a: 'bc', b: 'a' }, { 'x"a': 'b' }, { c: '"a":"b"' }, { a: '"', é: '\n\\' }]
      const ids = await submittedAll(
        store,
        labels.map(one => ({ labels: one })),
      )
      const found = async (one: Readonly<Record<string, string>>) =>
        (await store.jobs.list({ labels: one, limit: 9 })).map(({ id }) => id)
      for (const [index, one] of labels.entries()) expect(await found(one)).toEqual([ids[index]])
      expect(await found({ é: '\n\\' })).toEqual([ids[4]])
      expect(await found({ a: 'b', b: 'a' })).toEqual([])
      expect(await found({ a: '%' })).toEqual([])
      expect(await found({})).toHaveLength(5)
    })

    test('a released job returns to its position in the queue', async () => {
      const store = await (await makeWorld()).open()
      const [early, later] = await submittedAll(store, [{}, {}])
      const lease = await claimed(store)
      expect(await store.jobs.release(lease)).toBe(true)
      expect(await store.jobs.queue(9)).toEqual([early, later])
      expect(await store.jobs.find(early!)).toMatchObject({ status: 'queued' })
      expect(await store.jobs.release(lease)).toBe(false)
      expect((await claimed(store)).job).toMatchObject({ id: early, starts: 1 })
      expect(await eventTypes(store, early!)).toEqual(['queued', 'started', 'requeued', 'resumed'])
      expect(await store.jobs.append(lease, [])).toBe(false)
    })

    test('a job with another next stage waits for a worker that runs it', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const { id } = await submitted(first)
      expect(await first.jobs.claim({ stages: ['judge'] })).toBeUndefined()
      const lease = await first.jobs.claim({ stages: ['input', 'model'] })
      expect(await first.jobs.release(lease!, { nextStage: 'judge' })).toBe(true)
      expect(await second.jobs.find(id)).toMatchObject({ status: 'queued', nextStage: 'judge', starts: 0 })
      await submitted(first)
      expect(await second.jobs.waiting()).toMatchObject([
        { stage: 'input', jobs: 1 },
        { stage: 'judge', jobs: 1 },
      ])
      expect(await first.jobs.claim({ stages: ['model'] })).toBeUndefined()
      // A worker that ends leaves the job at this stage, also for others.
      expect((await second.jobs.claim({ stages: ['judge'] }))?.job).toMatchObject({ id, nextStage: 'judge' })
      await world.kill('second')
      expect(await first.jobs.claim({ stages: ['model'] })).toBeUndefined()
      expect((await claimed(first)).job).toMatchObject({ id, nextStage: 'judge', starts: 2 })
      const requeued = (await first.jobs.events(id, 0, 9)).find(({ type }) => type === 'requeued')
      expect(requeued?.data).toEqual({ next_stage: 'judge' })
    })

    test('a cancelled job is not passed on', async () => {
      const store = await (await makeWorld()).open()
      const { id } = await submitted(store)
      const lease = await claimed(store)
      await store.jobs.cancel(id)
      await store.jobs.release(lease, { nextStage: 'judge' })
      expect(await store.jobs.find(id)).toMatchObject({ status: 'cancelled' })
    })

    test('closing a store returns the jobs of its process to the queue', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const [early, later] = await submittedAll(first, [{}, {}])
      await claimed(first)
      await first.close()
      expect(await second.jobs.queue(9)).toEqual([early, later])
      expect(await eventTypes(second, early!)).toEqual(['queued', 'started', 'requeued'])
    })

    test('a job claimed again and again without progress fails', async () => {
      const world = await makeWorld()
      const last = await world.open('last')
      const [bad, good] = await submittedAll(last, [{ webhook: 'https://example.org' }, {}])
      for (const name of ['one', 'two']) {
        const worker = await world.open(name)
        expect((await worker.jobs.claim({ maxStarts: 2 }))?.job.id).toBe(bad)
        await world.kill(name)
      }
      expect((await last.jobs.claim({ maxStarts: 2 }))?.job.id).toBe(good)
      const error = expect.stringMatching(/^Its workers ended 2 times without progress/) as string
      expect(await last.jobs.find(bad!)).toMatchObject({ status: 'failed', error })
      expect((await last.jobs.events(bad!, 3, 9)).map(({ type, data }) => ({ type, data }))).toEqual([
        { type: 'failed', data: { status: 'failed', error } },
      ])
      expect((await last.jobs.webhooksDue(9)).map(({ id }) => id)).toEqual([bad])
    })

    test('orderly releases are not counted, so that restarts of a service fail no job', async () => {
      const world = await makeWorld()
      const store = await world.open('last')
      const { id } = await submitted(store)
      for (let restart = 0; restart < 12; restart++) {
        const lease = await store.jobs.claim({ maxStarts: 2 })
        expect(lease?.job).toMatchObject({ id, starts: 1 })
        expect(await store.jobs.release(lease!)).toBe(true)
      }
      const lost = await world.open('lost')
      expect((await lost.jobs.claim({ maxStarts: 2 }))?.job.starts).toBe(1)
      await world.kill('lost')
      const lease = await claimed(store)
      expect(lease.job.starts).toBe(2)
      await store.jobs.release(lease)
      expect(await store.jobs.find(id)).toMatchObject({ status: 'queued', starts: 1 })
    })

    test('closing the store without a release counts as a start of the job', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const { id } = await submitted(first)
      await claimed(first)
      await first.close()
      expect(await second.jobs.find(id)).toMatchObject({ status: 'queued', starts: 1 })
      expect(await second.jobs.claim({ maxStarts: 1 })).toBeUndefined()
      expect(await second.jobs.find(id)).toMatchObject({ status: 'failed' })
    })

    test('progress resets the number of starts of a job', async () => {
      const store = await (await makeWorld()).open()
      await submitted(store)
      for (let time = 0; time < 4; time++) {
        const lease = await store.jobs.claim({ maxStarts: 2 })
        expect(lease?.job.starts).toBe(1)
        await store.jobs.append(lease!, [], { progress: true })
        await store.jobs.release(lease!)
      }
    })
  })
}
