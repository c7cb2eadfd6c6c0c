import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../../cache/store.js'
import type { StoreWorld } from './world.js'
import { claimed, done, eventTypes, submitted, submittedAll } from './job-scene.js'

type MakeWorld = () => Promise<StoreWorld>

export function describeJobEnds(makeWorld: MakeWorld): void {
  describe('the end of jobs', () => {
    test.each([
      { status: 'completed', result: { score: 0.5 } },
      { status: 'failed', error: 'the model is unknown' },
      { status: 'failed', error: 'half of it', result: { score: 1 } },
      { status: 'cancelled' },
      { status: 'cancelled', result: { docs: 3 } },
    ] as const)('a job that ends as %j is over', async outcome => {
      const store = await (await makeWorld()).open()
      const { id } = await submitted(store)
      const lease = await claimed(store)
      expect(await store.jobs.finish(lease, outcome)).toBe(true)
      const ended = await store.jobs.find(id)
      expect(ended).toEqual({ ...lease.job, ...outcome, finishedAt: expect.any(Number) as number })
      expect((await store.jobs.events(id, 2, 9)).map(({ type, data }) => ({ type, data }))).toEqual([
        { type: outcome.status, data: outcome },
      ])
      expect(await store.jobs.finish(lease, done)).toBe(false)
      expect(await store.jobs.append(lease, [{ type: 'late', data: {} }])).toBe(false)
      expect(await store.jobs.release(lease)).toBe(false)
      expect(await store.jobs.cancel(id)).toEqual(ended)
      expect(await store.jobs.claim()).toBeUndefined()
      expect(await store.jobs.counts()).toMatchObject({ queued: 0, running: 0, [outcome.status]: 1 })
    })

    test('a queued job is cancelled at once', async () => {
      const store = await (await makeWorld()).open()
      const { id } = await submitted(store)
      expect(await store.jobs.cancel(id)).toMatchObject({
        ...{ status: 'cancelled', isCancelling: false, finishedAt: expect.any(Number) as number },
      })
      expect(await eventTypes(store, id)).toEqual(['queued', 'cancelled'])
      expect(await store.jobs.claim()).toBeUndefined()
      expect(await store.jobs.cancel(randomUUID())).toBeUndefined()
    })

    test('a running job is marked as cancelled, and its worker ends it', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const { id } = await submitted(first)
      const lease = await claimed(first)
      expect(await second.jobs.cancel(id)).toMatchObject({ status: 'running', isCancelling: true })
      expect(await first.jobs.find(id)).toMatchObject({ status: 'running', isCancelling: true })
      expect(await first.jobs.finish(lease, { status: 'cancelled' })).toBe(true)
      expect(await second.jobs.find(id)).toMatchObject({ status: 'cancelled' })
    })

    test('a running job whose worker is gone is cancelled at once', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const { id } = await submitted(first)
      await claimed(first)
      await world.kill('first')
      expect(await second.jobs.cancel(id)).toMatchObject({ status: 'cancelled' })
      expect(await second.jobs.claim()).toBeUndefined()
    })

    test.each(['killed', 'released'])(
      'a job that was marked as cancelled when its worker was %s is not claimed again',
      async how => {
        const world = await makeWorld()
        const [first, second] = [await world.open('first'), await world.open('second')]
        const { id } = await submitted(first)
        const lease = await claimed(first)
        await second.jobs.cancel(id)
        if (how === 'killed') await world.kill('first')
        else expect(await first.jobs.release(lease)).toBe(true)
        expect(await second.jobs.claim()).toBeUndefined()
        expect(await second.jobs.find(id)).toMatchObject({ status: 'cancelled' })
        expect(await eventTypes(second, id)).toEqual(['queued', 'started', 'cancelled'])
      },
    )

    test('finished jobs are removed oldest first, open ones never', async () => {
      const store = await (await makeWorld()).open()
      const ids = await submittedAll(
        store,
        Array.from({ length: 5 }, () => ({})),
      )
      for (const id of ids.slice(0, 3)) await store.jobs.cancel(id)
      await claimed(store)
      expect(await store.jobs.prune(3)).toBe(0)
      expect(await store.jobs.prune(1)).toBe(2)
      expect((await store.jobs.list({ limit: 9 })).map(({ id }) => id)).toEqual([ids[4], ids[3], ids[2]])
      expect(await store.jobs.events(ids[0]!, 0, 9)).toEqual([])
      expect(await store.jobs.prune(0)).toBe(1)
      expect(await store.jobs.counts()).toEqual({ queued: 1, running: 1, completed: 0, failed: 0, cancelled: 0 })
    })

    test('a job with a due webhook is kept, and removed once it is delivered', async () => {
      const store = await (await makeWorld()).open()
      const [due, plain, last] = await submittedAll(store, [{ webhook: 'https://example.org' }, {}, {}])
      for (const id of [due, plain, last]) await store.jobs.cancel(id!)
      expect(await store.jobs.prune(1)).toBe(1)
      expect((await store.jobs.list({ limit: 9 })).map(({ id }) => id)).toEqual([last, due])
      expect(await store.jobs.prune(0)).toBe(1)
      expect((await store.jobs.webhooksDue(9)).map(({ id }) => id)).toEqual([due])
      await store.jobs.webhookTried(due!, true)
      expect(await store.jobs.prune(0)).toBe(1)
      expect(await store.jobs.find(due!)).toBeUndefined()
    })

    test('removes more finished jobs than fit one transaction', async () => {
      const store = await (await makeWorld()).open()
      const jobs = await Promise.all(Array.from({ length: 450 }, () => submitted(store)))
      await Promise.all(jobs.map(({ id }) => store.jobs.cancel(id)))
      expect(await store.jobs.prune(7)).toBe(443)
      expect(await store.jobs.counts()).toMatchObject({ cancelled: 7 })
    })
  })

  describe('events of jobs', () => {
    test('events have numbers without gaps, whoever appends them', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const { id } = await submitted(first)
      const lease = await claimed(first)
      const events = [0, 1, 2].map(index => ({ type: 'doc', data: { index, text: 'ü' } }))
      expect(await first.jobs.append(lease, events, { run: 'sha256:ab' })).toBe(true)
      expect(await first.jobs.append(lease, [])).toBe(true)
      await first.jobs.release(lease)
      await second.jobs.finish(await claimed(second), done)
      const all = await first.jobs.events(id, 0, 100)
      expect(all.map(event => event.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      expect(all.map(({ type }) => type)).toEqual([
        ...['queued', 'started', 'doc', 'doc', 'doc', 'requeued', 'resumed', 'completed'],
      ])
      expect(all[3]).toEqual({ id: 4, at: expect.any(Number) as number, type: 'doc', data: { index: 1, text: 'ü' } })
      expect(await second.jobs.events(id, 3, 2)).toEqual(all.slice(3, 5))
      expect(await second.jobs.events(id, 8, 2)).toEqual([])
      expect(await second.jobs.events(randomUUID(), 0, 2)).toEqual([])
      expect(await second.jobs.find(id)).toMatchObject({ run: 'sha256:ab' })
    })
  })

  describe('lists of jobs', () => {
    test('the newest job comes first, in pages', async () => {
      const store = await (await makeWorld()).open()
      const ids = [
        ...(await submittedAll(
          store,
          Array.from({ length: 5 }, () => ({})),
        )),
      ].reverse()
      const page = async (after?: string) =>
        (await store.jobs.list({ limit: 2, ...(after === undefined ? {} : { after }) })).map(({ id }) => id)
      expect(await page()).toEqual(ids.slice(0, 2))
      expect(await page(ids[1])).toEqual(ids.slice(2, 4))
      expect(await page(ids[3])).toEqual(ids.slice(4))
      expect(await page(ids[4])).toEqual([])
      await expect(page(randomUUID())).rejects.toThrow('begin with the first page')
    })

    test('jobs can be found by status and by several labels together', async () => {
      const store = await (await makeWorld()).open()
      const odd = { "team's": '1', '$."x"': 'a' }
      const [a, b, c] = await submittedAll(store, [
        { labels: { team: 'vision', env: 'ci' } },
        { labels: { team: 'vision' } },
        { labels: odd },
      ])
      const found = async (query: Parameters<Store['jobs']['list']>[0]) =>
        (await store.jobs.list(query)).map(({ id }) => id)
      expect(await found({ labels: { team: 'vision' }, limit: 9 })).toEqual([b, a])
      expect(await found({ labels: { team: 'vision', env: 'ci' }, limit: 9 })).toEqual([a])
      expect(await found({ labels: { team: 'ci' }, limit: 9 })).toEqual([])
      expect(await found({ labels: odd, limit: 9 })).toEqual([c])
      expect(await found({ labels: {}, limit: 9 })).toEqual([c, b, a])
      await store.jobs.cancel(b!)
      expect(await found({ status: 'cancelled', limit: 9 })).toEqual([b])
      expect(await found({ status: 'queued', labels: { team: 'vision' }, limit: 9 })).toEqual([a])
      expect(await found({ status: 'queued', after: c!, limit: 9 })).toEqual([a])
    })
  })

  describe('webhooks of jobs', () => {
    test('a webhook is due from the end of its job until it is delivered or given up', async () => {
      const store = await (await makeWorld()).open()
      const [first] = await submittedAll(store, [{ webhook: 'https://example.org/1' }, {}])
      expect(await store.jobs.webhooksDue(9)).toEqual([])
      await store.jobs.finish(await claimed(store), done)
      await store.jobs.finish(await claimed(store), done)
      const due = async () =>
        (await store.jobs.webhooksDue(9)).map(({ id, webhookAttempts }) => ({ id, webhookAttempts }))
      expect(await due()).toEqual([{ id: first, webhookAttempts: 0 }])
      await store.jobs.webhookTried(first!, false)
      expect(await due()).toEqual([{ id: first, webhookAttempts: 1 }])
      await store.jobs.webhookTried(first!, true)
      expect(await due()).toEqual([])
      expect(await store.jobs.find(first!)).toMatchObject({ status: 'completed', webhookAttempts: 2 })
      await store.jobs.webhookTried(randomUUID(), true)
    })
  })

  describe('tokens', () => {
    const token = (id: string) =>
      ({ id, name: `token ${id}`, scope: 'submit', hash: 'ab'.repeat(32), createdAt: 1_000 }) as const

    test('every process finds a token until it is removed', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      await first.tokens.add(token('b'))
      await first.tokens.add({ ...token('a'), scope: 'admin', expiresAt: 2_000 })
      expect(await second.tokens.find('b')).toEqual(token('b'))
      expect(await second.tokens.find('c')).toBeUndefined()
      expect(await second.tokens.list()).toEqual([token('b'), { ...token('a'), scope: 'admin', expiresAt: 2_000 }])
      await expect(second.tokens.add({ ...token('b'), scope: 'admin' })).rejects.toThrow('there is a token b already')
      expect(await second.tokens.remove('b')).toBe(true)
      expect(await first.tokens.remove('b')).toBe(false)
      expect((await first.tokens.list()).map(({ id }) => id)).toEqual(['a'])
    })
  })
}
