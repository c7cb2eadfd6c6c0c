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
  /** Tries it again at once, `throttled` times refused. */
  const again = async (request: PendingRequest | undefined, throttled: number) => {
    if (request !== undefined) backlog.retries.add({ ...request, throttled }, 0, '')
    await clock.advance(1)
  }
  return { backlog, textOf, again }
}

test('what is to be tried again goes first', async () => {
  const { backlog, textOf, again } = await backlogOf('a', 'b', 'c')
  await again(backlog.take(), 1)
  await again(backlog.take(), 0)
  expect([backlog.take(), backlog.take(), backlog.take()].map(textOf)).toEqual(['a', 'b', 'c'])
})

test('what is refused for a limit again and again takes turns with what was not asked yet', async () => {
  const { backlog, textOf, again } = await backlogOf('large', 'b', 'c')
  const taken: (string | undefined)[] = []
  for (let throttled = 1; throttled < 7; throttled++) {
    const request = backlog.take()
    taken.push(textOf(request))
    if (textOf(request) === 'large') await again(request, throttled)
  }
  expect(taken).toEqual(['large', 'large', 'large', 'b', 'large', 'c'])
})
