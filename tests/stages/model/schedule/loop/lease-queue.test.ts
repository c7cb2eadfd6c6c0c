import { describe, expect, test } from 'vitest'
import type { LeaseQuery } from '../../../../../cache/store.js'
import { LeaseQueue } from '../../../../../stages/model/schedule/loop/lease-queue.js'
import { InferStore } from '../../../../support/infer-store.js'
import { answerWith, echo, numbers, start } from '../../../../support/infer-run.js'
import { virtualClock } from '../../../../support/virtual-clock.js'

/** A queue of this many requests, with a store that takes this many milliseconds for each search. */
function queueOf(requests: number, given: { readonly slots?: number; readonly lookMs?: number } = {}) {
  const { slots = 1, lookMs = 0 } = given
  const clock = virtualClock()
  const store = new InferStore()
  store.add(...numbers(requests))
  const looks: LeaseQuery[] = []
  const lease = store.requests.lease.bind(store.requests)
  store.requests.lease = async (run, query) => {
    looks.push(query)
    if (lookMs > 0) await new Promise<void>(resolve => void clock.after(lookMs, resolve))
    return lease(run, query)
  }
  const queue = new LeaseQueue({
    ...{ store, run: store.run, retryFailed: false, slots: () => slots, clock, order: 'none' },
    upstreamFinished: () => Promise.resolve(store.isFinished),
  })
  /** Leases all requests. @returns the items that were found */
  const drain = async (): Promise<readonly number[]> => {
    const found: number[] = []
    while (queue.isLow) {
      await clock.runUntil(queue.refill())
      for (let next = queue.take(); next !== undefined; next = queue.take()) found.push(next.lease.item.id)
    }
    return found
  }
  return { clock, store, looks, queue, drain }
}

describe('requests of other processes', () => {
  test('are searched again from the first one on, whichever search met them', async () => {
    const { store, queue, drain } = queueOf(12)
    store.leaseElsewhere(2, 10)
    expect(await drain()).toHaveLength(10)
    expect([queue.mayGrow, queue.isFinished]).toEqual([true, false])
    store.releaseElsewhere()
    queue.lookAgain()
    expect(await drain()).toHaveLength(2)
    expect([queue.mayGrow, queue.isFinished]).toEqual([false, true])
  })

  test('are counted by process, over all searches, and counted again at the next search', async () => {
    const { store, queue, drain } = queueOf(12)
    store.leaseElsewhere(2, 3, 10)
    await drain()
    expect(queue.holders).toMatchObject([{ pid: 7, items: 3 }])
    queue.lookAgain()
    await drain()
    expect(queue.holders).toMatchObject([{ pid: 7, items: 3 }])
    store.releaseElsewhere()
    queue.lookAgain()
    await drain()
    expect(queue.holders).toEqual([])
  })

  test('are searched every half second, however often the store changes', async () => {
    const { clock, store, queue, drain } = queueOf(4)
    store.leaseElsewhere(4)
    await drain()
    await clock.advance(499)
    store.changeFromOutside(() => undefined)
    expect(await queue.isStale()).toBe(false)
    await clock.advance(1)
    expect(await queue.isStale()).toBe(true)
  })

  test('are searched less often if a search takes long', async () => {
    const { clock, store, queue, drain } = queueOf(4, { lookMs: 200 })
    store.leaseElsewhere(4)
    await drain()
    // Two seconds after the start of the search, which took a fifth of a second.
    await clock.advance(1_799)
    expect(await queue.isStale()).toBe(false)
    await clock.advance(1)
    expect(await queue.isStale()).toBe(true)
  })

  test.each([
    [1_500, 4_000],
    [3_000, 6_000],
  ])('are searched soon after a search that took %i ms, maybe by chance', async (lookMs, after) => {
    const { clock, store, queue, drain } = queueOf(4, { lookMs })
    store.leaseElsewhere(4)
    await drain()
    await clock.advance(after - lookMs - 1)
    expect(await queue.isStale()).toBe(false)
    await clock.advance(1)
    expect(await queue.isStale()).toBe(true)
  })

  test('are searched from the first item whose lease was lost', async () => {
    const { store, queue, drain } = queueOf(6)
    await drain()
    expect(queue.isFinished).toBe(true)
    store.leaseElsewhere(3, 5)
    for (const id of [5, 3]) queue.lost({ item: { id } } as Parameters<LeaseQueue['lost']>[0])
    store.releaseElsewhere()
    queue.lookAgain()
    expect(await drain()).toEqual([3, 5])
  })
})

test('searches for items that another process commits as soon as the store has changed', async () => {
  const { store, queue, drain } = queueOf(2)
  store.isFinished = false
  await drain()
  expect(await queue.isStale()).toBe(false)
  store.changeFromOutside(() => store.add('late'))
  expect(await queue.isStale()).toBe(true)
  queue.lookAgain()
  expect(await drain()).toEqual([3])
})

describe('a batch of leases', () => {
  test('contains four requests per slot, and at most a thousand', async () => {
    const sizeFor = async (slots: number) => {
      const { queue, looks } = queueOf(10, { slots })
      await queue.refill()
      return looks[0]?.limit
    }
    expect([await sizeFor(1), await sizeFor(8), await sizeFor(1_000)]).toEqual([4, 32, 1_024])
  })

  test('lasts a quarter of a second at the current rate', async () => {
    const { clock, queue, looks } = queueOf(2_000)
    await queue.refill()
    for (let turn = 0; turn < 4; turn += 1) {
      while (queue.take() !== undefined);
      await clock.advance(4)
      await queue.refill()
    }
    // Four in four milliseconds, then as many as were leased.
    expect(looks.map(({ limit }) => limit)).toEqual([4, 250, 1_024, 1_024, 1_024])
  })

  test('is taken when a quarter of the last one is left, or fewer requests than slots', async () => {
    const { clock, queue } = queueOf(400, { slots: 10 })
    const leftWhenLow = (): number => {
      while (!queue.isLow) queue.take()
      return queue.length
    }
    await queue.refill()
    expect(leftWhenLow()).toBe(9)
    await clock.advance(30)
    await queue.refill()
    // 31 in 30 ms correspond to 259 in a quarter of a second.
    expect(leftWhenLow()).toBe(64)
  })
})

describe('beside other processes', () => {
  test('leases last two seconds at the current rate, so that all processes end together', async () => {
    const { clock, store, queue, looks } = queueOf(600, { slots: 50 })
    store.leaseElsewhere(...Array.from({ length: 100 }, (_, index) => index + 1))
    await queue.refill()
    // The first 200 are read. Half of them are leased here, and taken at 10 a second.
    while (queue.take() !== undefined) await clock.advance(100)
    await queue.refill()
    expect(looks.at(-1)).toMatchObject({ most: 20 })
    expect(queue.length).toBe(20)
  })

  test('many items are read at once where few are free', async () => {
    const { store, queue, looks } = queueOf(600, { slots: 10 })
    store.leaseElsewhere(...Array.from({ length: 500 }, (_, index) => index + 1))
    await queue.refill()
    await queue.refill()
    expect(looks.map(({ limit }) => limit)).toEqual([40, 1_000])
    expect(queue.length).toBe(10)
  })

  test('no further items are searched while there are leases for all slots', async () => {
    const { clock, store, queue } = queueOf(12, { slots: 4 })
    store.leaseElsewhere(1)
    await queue.refill()
    await clock.advance(60_000)
    expect(await queue.isStale()).toBe(false)
    while (queue.length > 3) queue.take()
    expect(await queue.isStale()).toBe(true)
  })
})

test('searches twice a second while other processes hold the rest', async () => {
  let looks = 0
  const run = start(request => Promise.resolve(answerWith(echo(request))), {
    prepare: store => {
      store.leaseElsewhere(2)
      const lease = store.requests.lease.bind(store.requests)
      store.requests.lease = (...query) => {
        looks += 1
        return lease(...query)
      }
    },
  })
  await run.clock.advance(10_000)
  expect(looks).toBeGreaterThan(10)
  expect(looks).toBeLessThanOrEqual(21)
  run.stop.abort()
  await run.outcome
})

test('searches an expensive store for items of other processes at its own interval, however often it changes', async () => {
  const { clock, store, queue, drain } = queueOf(2)
  Object.assign(store, { slowPollMs: 2_000 })
  store.leaseElsewhere(2)
  await drain()
  store.changeFromOutside(() => undefined)
  await clock.advance(1_999)
  expect(await queue.isStale()).toBe(false)
  await clock.advance(1)
  expect(await queue.isStale()).toBe(true)
})
