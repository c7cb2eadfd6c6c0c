import { expect, test } from 'vitest'
import { Backlog } from '../../../../../stages/model/schedule/loop/backlog.js'
import type { PendingRequest } from '../../../../../stages/model/schedule/loop/pending-request.js'
import { InferStore } from '../../../../support/infer-store.js'
import { virtualClock } from '../../../../support/virtual-clock.js'

async function backlogOf(...texts: readonly string[]) {
  const store = new InferStore()
  store.add(...texts)
  const clock = virtualClock()
  const upstreamFinished = () => Promise.resolve(true)
  const backlog = new Backlog(
    { store, run: store.run, retryFailed: false, slots: () => 4, clock, order: 'none', upstreamFinished },
    () => undefined,
  )
  await backlog.queue.refill()
  const textOf = (request: PendingRequest | undefined) => {
    const part = request?.lease.input.messages[0]?.content[0]
    return part?.type === 'text' ? part.text : undefined
  }
  /** Tries it again at once, `throttled` times rate limited. */
  const again = async (request: PendingRequest | undefined, throttled: number) => {
    if (request !== undefined) backlog.retries.add({ ...request, throttled }, 0, '')
    await clock.advance(1)
  }
  return { backlog, textOf, again }
}

test('retries requests before new ones', async () => {
  const { backlog, textOf, again } = await backlogOf('a', 'b', 'c')
  await again(backlog.take(), 1)
  await again(backlog.take(), 0)
  expect([backlog.take(), backlog.take(), backlog.take()].map(textOf)).toEqual(['a', 'b', 'c'])
})

test('a request that is rate limited repeatedly alternates with unsent requests', async () => {
  const { backlog, textOf, again } = await backlogOf('large', 'b', 'c')
  const taken: (string | undefined)[] = []
  for (let throttled = 1; throttled < 7; throttled++) {
    const request = backlog.take()
    taken.push(textOf(request))
    if (textOf(request) === 'large') await again(request, throttled)
  }
  expect(taken).toEqual(['large', 'large', 'large', 'b', 'large', 'c'])
})

test('takes no new request while four requests per slot wait for retries', async () => {
  const { backlog } = await backlogOf(...Array.from({ length: 17 }, (_, index) => String(index)))
  await backlog.queue.refill()
  for (let taken = 0; taken < 15; taken += 1) backlog.retries.add(backlog.take()!, 1_000, '')
  expect([backlog.isCrowded, backlog.hasNext]).toEqual([false, true])
  backlog.retries.add(backlog.take()!, 1_000, '')
  expect([backlog.isCrowded, backlog.hasNext, backlog.take()]).toEqual([true, false, undefined])
  expect(backlog.takeAll()).toHaveLength(17)
})

test('returns the earliest retry, and no time while one is due', async () => {
  const { backlog, again } = await backlogOf('a', 'b', 'c')
  const [a, b, c] = [backlog.take()!, backlog.take()!, backlog.take()!]
  backlog.retries.add(a, 3_000, 'late')
  backlog.retries.add(b, 2_000, 'early')
  expect(backlog.retries.next).toMatchObject({ message: 'early', since: 0, until: 2_000 })
  await again(c, 0)
  expect([backlog.retries.isDue, backlog.retries.next]).toEqual([true, undefined])
  expect(backlog.takeAll()).toHaveLength(3)
})

test('takes due requests in the order of their times', async () => {
  const { backlog, textOf, again } = await backlogOf('a', 'b')
  for (const request of [backlog.take(), backlog.take()]) await again(request, 0)
  expect([backlog.take(), backlog.take()].map(textOf)).toEqual(['a', 'b'])
})

test('releases a lease that was given up, and is not empty until then', async () => {
  const { backlog } = await backlogOf('a')
  const request = backlog.take()!
  expect(backlog.isEmpty).toBe(true)
  backlog.giveUp(request.lease)
  expect(backlog.isEmpty).toBe(false)
  expect(backlog.takeAll()).toEqual([request.lease])
})

test('a held-back request is the next one and stays until then', async () => {
  const { backlog, textOf } = await backlogOf('a', 'b')
  backlog.holdBack(backlog.take()!)
  expect(textOf(backlog.take())).toBe('a')
  backlog.holdBack(backlog.take()!)
  expect([backlog.hasNext, backlog.isEmpty]).toEqual([true, false])
  expect(backlog.takeAll()).toHaveLength(1)
})
