import { describe, expect, test, vi } from 'vitest'
import { answer, question, testRun } from '../store.js'
import type { StoreWorld } from './world.js'
import { claimed, submitted } from './job-scene.js'
import { answerAll, askedRun, leaseAll, questions, refusal, textsOf, timeout, wholeRun } from './scene.js'

type MakeWorld = () => Promise<StoreWorld>

/** Tests several handles on one store: what one process commits and holds, and what others see. */
export function describeSharing(makeWorld: MakeWorld): void {
  describe('two handles on one store', () => {
    test('one sees what the other committed, and its data version changes', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 2)
      expect(await second.runs.counts(run)).toMatchObject({ docs: 2, answered: 0 })
      const before = await second.dataVersion()
      const [held] = await leaseAll(first, run)
      await answer(first, held!, 'yes')
      // Some stores learn of it by a notification.
      await vi.waitFor(async () => expect(await second.dataVersion()).not.toBe(before), { timeout: 30_000 })
      expect(await second.runs.counts(run)).toMatchObject({ docs: 2, answered: 1, pending: 1 })
    })

    test('a request of several docs without an answer is counted once as shared, until it is answered', async () => {
      const store = await (await makeWorld()).open('first')
      const run = await testRun(store)
      const [first, second, third] = questions(3)
      const same = { ...second!, requests: first!.requests }
      await store.docs.commit(run, 0, [first!, same, third!], true)
      expect(await store.runs.counts(run)).toMatchObject({ items: 3, pending: 3, shared: 1 })
      const [held] = await leaseAll(store, run, { limit: 1 })
      await answer(store, held!, 'yes')
      expect(await store.runs.counts(run)).toMatchObject({ answered: 2, pending: 1, shared: 0 })
    })

    test('committed rows outlive the handle that wrote them', async () => {
      const world = await makeWorld()
      const store = await world.open('first')
      const run = await askedRun(store, 2)
      const [held] = await leaseAll(store, run)
      await answer(store, held!, 'yes')
      await store.close()
      const next = await world.open('second')
      expect(await next.runs.list()).toEqual([run])
      expect(await next.runs.counts(run)).toMatchObject({ answered: 1, pending: 1 })
    })

    test('a request held by a living process is given to nobody else', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 3)
      const held = await leaseAll(first, run, { limit: 2 })
      expect(held).toHaveLength(2)
      const found = await second.requests.lease(run, wholeRun)
      expect(found.leases.map(({ item }) => item.doc)).toEqual(['2'])
      expect(found).toMatchObject({ elsewhere: 2, holders: [{ items: 2 }] })
      expect(await first.runs.isWorkedOnElsewhere(run)).toBe(true)
      await second.close()
      expect(await first.runs.isWorkedOnElsewhere(run)).toBe(false)
    })

    test('lists the processes that work on a run with the requests that they hold', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 3)
      expect(await first.runs.workers()).toEqual([])
      await leaseAll(first, run, { limit: 2 })
      await leaseAll(second, run)
      const held = async () => (await second.runs.workers()).map(({ items }) => items)
      expect(await held()).toEqual([2, 1])
      await world.kill('first')
      // Until somebody takes its requests over.
      expect(await held()).toEqual([2, 1])
      expect((await second.runs.workers()).map(({ isAlive }) => isAlive)).toEqual([false, true])
      const leases = await leaseAll(second, run)
      expect(await held()).toEqual([3])
      for (const lease of leases) await answer(second, lease, 'yes')
      // A heartbeat.
      await second.probe()
      const [worker] = await second.runs.workers()
      expect(worker).toMatchObject({ items: 1, answers: 2, runs: [run.ref], jobs: [], isAlive: true })
      expect(worker?.perSecond).toBeGreaterThan(0)
    })

    test('lists a process with its job, even if it ended and nobody took the job', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const { id } = await submitted(second)
      await claimed(first)
      expect(await second.runs.workers()).toMatchObject([{ jobs: [id], runs: [], isAlive: true }])
      await world.kill('first')
      expect(await second.runs.workers()).toMatchObject([{ jobs: [id], isAlive: false }])
      await claimed(second)
      expect(await second.runs.workers()).toMatchObject([{ jobs: [id], isAlive: true }])
    })

    test('a process that leaves a run continues to live, and others may read its docs', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const [run, other] = [await testRun(first), await testRun(first, ['another'])]
      expect(await first.docs.lease(run, 0)).toBe(true)
      expect(await first.docs.lease(other, 0)).toBe(true)
      expect(await second.docs.lease(run, 0)).not.toBe(true)
      await second.runs.leave(run)
      expect(await second.runs.isWorkedOnElsewhere(run)).toBe(true)
      await first.runs.leave(run)
      expect(await second.runs.isWorkedOnElsewhere(run)).toBe(false)
      expect(await second.runs.isWorkedOnElsewhere(other)).toBe(true)
      expect(await second.docs.lease(run, 0)).toBe(true)
      expect(await second.docs.lease(other, 0)).not.toBe(true)
    })

    test('concurrent leases go to one process each', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 20)
      const found = await Promise.all([first, second, first, second].map(store => leaseAll(store, run, { limit: 8 })))
      const requests = found.flat().map(({ request }) => request)
      expect(new Set(requests).size).toBe(requests.length)
      expect(requests.length).toBeGreaterThan(0)
    })

    test('of two simultaneous answers, one is the first', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 1)
      const [held] = await leaseAll(first, run)
      await world.kill('first')
      const [taken] = await leaseAll(second, run)
      const isFirst = await Promise.all([answer(first, held!, 'a'), answer(second, taken!, 'b')])
      expect(isFirst.filter(Boolean)).toHaveLength(1)
      expect(await textsOf(second, run)).toEqual([isFirst[0] ? 'a' : 'b'])
    })

    test('leases of a killed process are free, and its tokens are invalid', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 1)
      const [held] = await leaseAll(first, run)
      await world.kill('first')
      expect(await second.runs.isWorkedOnElsewhere(run)).toBe(false)
      const [taken] = await leaseAll(second, run)
      expect(taken!.request).toBe(held!.request)
      expect(taken!.token).toBeGreaterThan(held!.token)
      expect(await second.requests.holds([held!, taken!])).toEqual([false, true])
    })

    test('ignores a failure that arrives after the lease was taken over', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 1)
      const [held] = await leaseAll(first, run)
      await world.kill('first')
      const [taken] = await leaseAll(second, run)
      await first.requests.commitFailure(held!, refusal)
      expect(await second.runs.counts(run)).toMatchObject({ failed: {}, pending: 1 })
      expect(await second.requests.holds([taken!])).toEqual([true])
    })

    test('keeps an answer that arrives after the lease was taken over if it is the first', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 1)
      const [held] = await leaseAll(first, run)
      await world.kill('first')
      const [taken] = await leaseAll(second, run)
      expect(await answer(first, held!, 'late')).toBe(true)
      expect(await answer(second, taken!, 'later')).toBe(false)
      expect(await textsOf(second, run)).toEqual(['late'])
    })

    test('a late release does not affect the new holder of the leases', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 1)
      const held = await leaseAll(first, run)
      await world.kill('first')
      const [taken] = await leaseAll(second, run)
      await first.requests.release(held)
      expect(await second.requests.holds([taken!])).toEqual([true])
    })

    test('concurrent updates of a value lose no change', async () => {
      const world = await makeWorld()
      const handles = [await world.open('first'), await world.open('second')]
      const changes = Array.from({ length: 20 }, (_, index) =>
        handles[index % 2]!.values.update('sum', known => {
          const sum = Number(known ?? 0) + 1
          return { value: sum, told: sum }
        }),
      )
      const told = await Promise.all(changes)
      expect([...told].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
      expect(await handles[0]!.values.get('sum')).toBe(20)
    })

    test('a closed handle releases its leases', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 1)
      await leaseAll(first, run)
      await first.close()
      expect(await leaseAll(second, run)).toHaveLength(1)
    })

    test('pending requests held by another living process are not failed as over budget', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 2)
      await leaseAll(first, run, { limit: 1 })
      expect(await second.requests.failWaiting(run, { class: 'budget', message: 'over', attempts: 0 })).toBe(1)
      expect(await second.runs.counts(run)).toMatchObject({ failed: { budget: 1 }, pending: 1 })
    })
  })

  describe('batches', () => {
    const heldBatch = async (world: StoreWorld, docs = 3) => {
      const store = await world.open('first')
      const run = await askedRun(store, docs)
      const leases = await leaseAll(store, run)
      const batch = await store.batches.add(await store.batches.begin('0123456789ab', 'https://a'), leases)
      return { store, run, leases, batch }
    }

    test('requests of a batch are leased to nobody, and it is open while it has any', async () => {
      const world = await makeWorld()
      const { store, run, leases, batch } = await heldBatch(world)
      expect(batch).toMatchObject({ state: 'filling', requests: 3, open: 3, address: 'https://a' })
      const second = await world.open('second')
      expect(await leaseAll(second, run, { retryFailed: true })).toEqual([])
      expect(await second.requests.failWaiting(run, timeout)).toBe(0)
      const held = await store.batches.requests(batch, run, { after: 0, limit: 2 })
      expect(held.map(({ request }) => request)).toEqual(leases.slice(0, 2).map(({ request }) => request))
      const digits = leases[2]!.key.slice(7, 23)
      const found = await store.batches.find(batch, run, [digits, 'f'.repeat(64)])
      expect([...found.keys()]).toEqual([digits])
      for (const lease of [...held, found.get(digits)!]) await answer(store, lease, 'yes')
      expect(await store.batches.open(run)).toEqual([])
      expect(await store.runs.counts(run)).toMatchObject({ answered: 3 })
    })

    test('only the owner of a batch stores its progress', async () => {
      const world = await makeWorld()
      const { store, run, batch } = await heldBatch(world)
      const sent = await store.batches.advance(batch, { state: 'submitted', id: 'batch_1' })
      expect(sent).toMatchObject({ state: 'submitted', id: 'batch_1', requests: 3 })
      const second = await world.open('second')
      expect(await second.batches.open()).toEqual([sent])
      expect(await second.batches.adopt(sent)).toBeUndefined()
      await world.kill('first')
      expect(await second.batches.adopt(sent)).toEqual(sent)
      await expect(store.batches.advance(sent, { state: 'ready' })).rejects.toThrow('taken over')
      expect(await second.batches.open(run)).toEqual([sent])
    })

    test('a rejected request has failed, and one of a closed batch may be sent again', async () => {
      const world = await makeWorld()
      const { store, run, leases, batch } = await heldBatch(world)
      const left = await store.batches.reject(batch, leases[0]!, refusal)
      expect(left).toMatchObject({ requests: 2, open: 2 })
      expect(await store.runs.counts(run)).toMatchObject({ failed: { refused: 1 }, pending: 2 })
      await store.batches.close(left)
      expect(await store.batches.open()).toEqual([])
      expect(await leaseAll(store, run)).toHaveLength(2)
    })

    test('a lease that was taken over is not added to a batch', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      const run = await askedRun(first, 1)
      const leases = await leaseAll(first, run)
      await world.kill('first')
      await leaseAll(second, run)
      const batch = await first.batches.add(await first.batches.begin('0123456789ab', 'https://a'), leases)
      expect(batch).toMatchObject({ requests: 0, open: 0 })
    })

    test('batches of another run are not listed', async () => {
      const world = await makeWorld()
      const { store } = await heldBatch(world, 1)
      const other = await testRun(store, ['other'])
      await store.docs.commit(other, 0, [question(9)], true)
      expect(await store.batches.open(other)).toEqual([])
      await answerAll(store, other)
      expect(await store.batches.open()).toHaveLength(1)
      await store.docs.commit(other, 0, questions(1), true)
      expect(await store.batches.open(other)).toHaveLength(1)
    })
  })
}
