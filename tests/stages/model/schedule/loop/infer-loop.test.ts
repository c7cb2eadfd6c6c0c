import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { PipelineError } from '../../../../../base/errors/errors.js'
import type { Gate } from '../../../../../stages/model/budget/gate.js'
import { AttemptError, type Model } from '../../../../../stages/model/model.js'
import { AdaptiveLimiter } from '../../../../../stages/model/schedule/limits/adaptive-limiter.js'
import { retryPolicy } from '../../../../../stages/model/schedule/loop/retry.js'
import { answerWith, echo, failWith, numbers, start } from '../../../../support/infer-run.js'
import { settle, virtualClock, type VirtualClock } from '../../../../support/virtual-clock.js'

/** Answers each request after this many milliseconds. */
const answersIn =
  (clock: VirtualClock, ms: number): Model['answer'] =>
  request =>
    new Promise(resolve => void clock.after(ms, () => resolve(answerWith(echo(request)))))

const hangs: Model['answer'] = () => new Promise(() => undefined)

describe('at its end the loop', () => {
  test('no longer listens to the signals of the process, nor to new items', async () => {
    const run = start(request => Promise.resolve(answerWith(echo(request))))
    await run.outcome
    expect([run.drain, run.stop].map(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([[], []])
    // The first notification reaches the ended loop, and the second is left for the next waiter.
    run.wake.notify()
    await settle()
    run.wake.notify()
    let isTold = false
    void run.wake.wait(Infinity).then(() => (isTold = true))
    await settle()
    expect(isTold).toBe(true)
  })

  test('releases the slots of a model that ignores a stop', async () => {
    const clock = virtualClock()
    const limiter = new AdaptiveLimiter({ concurrency: 2, clock })
    const run = start(hangs, { clock, openLimiter: () => Promise.resolve(limiter) })
    await settle()
    expect(limiter.inFlight).toBe(2)
    run.stop.abort()
    await run.clock.runUntil(run.outcome)
    expect(limiter.inFlight).toBe(0)
  })

  test('releases requests that were leased during the drain', async () => {
    let isFound = (): void => undefined
    const run = start(hangs, {
      prepare: store => {
        const lease = store.requests.lease.bind(store.requests)
        store.requests.lease = async (...query) => {
          await new Promise<void>(resolve => (isFound = resolve))
          return lease(...query)
        }
      },
    })
    await settle()
    run.drain.abort()
    await settle()
    isFound()
    expect(await run.outcome).toEqual({ ended: 'drained', answered: 0, failed: 0 })
    expect(run.store.leased.size).toBe(0)
  })

  test('writes nothing if no lease is left', async () => {
    let released = 0
    const run = start(request => Promise.resolve(answerWith(echo(request))), {
      prepare: store => void (store.requests.release = () => Promise.resolve(void (released += 1))),
    })
    await run.outcome
    expect(released).toBe(0)
  })

  test('throws the first error', async () => {
    const run = start(request => Promise.reject(new PipelineError('config', `no ${echo(request)}`)), {
      prepare: store => void (store.requests.release = () => Promise.reject(new Error('disk full'))),
    })
    await expect(run.outcome).rejects.toThrow('no a')
  })

  test.each<[string, Parameters<typeof start>[1]]>([
    ['leases', { prepare: store => void (store.requests.release = () => Promise.reject(new Error('disk full'))) }],
    ['what was learnt of the server', { keepLimiter: () => Promise.reject(new Error('disk full')) }],
  ])('throws the error of %s', async (_what, given) => {
    const run = start(hangs, { ...given, texts: numbers(5) })
    await settle()
    run.stop.abort()
    await expect(run.clock.runUntil(run.outcome)).rejects.toThrow('disk full')
  })
})

test.each(['store-full', 'store-failing', 'store-locked', 'store-read-only', 'store-unsynced'] as const)(
  'a store that cannot be written (%s) gets the answers to requests in flight, and nothing more is sent',
  async reason => {
    const clock = virtualClock()
    const given: string[] = []
    const sent: string[] = []
    const run = start(
      request => {
        sent.push(echo(request))
        return answersIn(clock, echo(request) === 'a' ? 10 : 60_000)(request, {
          signal: new AbortController().signal,
        } as never)
      },
      {
        clock,
        concurrency: 3,
        texts: ['a', 'b', 'c', 'd', 'e'],
        prepare: store => {
          store.requests.commitResponse = (lease, { text }) => {
            given.push(text)
            return Promise.reject(new PipelineError('store', 'no space left', { reason }))
          }
        },
      },
    )
    await expect(clock.runUntil(run.outcome)).rejects.toThrow('no space left')
    expect(sent).toEqual(['a', 'b', 'c'])
    expect(given.toSorted()).toEqual(['a', 'b', 'c'])
    expect(run.store.leased.size).toBe(3)
  },
)

test.each(['drain', 'stop'] as const)('a %s before the loop starts leases nothing', async signal => {
  const aborted = AbortSignal.abort()
  const run = start(hangs, { [signal]: aborted })
  expect(await run.outcome).toEqual({ ended: signal === 'stop' ? 'stopped' : 'drained', answered: 0, failed: 0 })
  expect([run.log.opened, run.store.mostLeased, run.clock.pending]).toEqual([0, 0, 0])
})

test.each(['drain', 'stop'] as const)('a %s while the model is opened sends nothing', async signal => {
  let open = (): void => undefined
  let asked = 0
  const run = start(hangs, {
    openModel: async () => {
      await new Promise<void>(resolve => (open = resolve))
      return { answer: () => Promise.reject(new Error(`asked ${(asked += 1)}`)) }
    },
  })
  await settle()
  run[signal].abort()
  open()
  expect(await run.outcome).toMatchObject({ answered: 0, failed: 0 })
  expect([asked, run.store.leased.size]).toEqual([0, 0])
})

test('looks for its leases again after it lost all of them during a pause', async () => {
  const clock = virtualClock()
  const limiter = new AdaptiveLimiter({ concurrency: 1, clock })
  const other = limiter.join(() => undefined)
  limiter.end(other.enter(), { type: 'rate_limited', retryAfter: 10_000 })
  other.quit()
  const run = start(answersIn(clock, 10), { clock, openLimiter: () => Promise.resolve(limiter) })
  await clock.advance(5_000)
  run.store.changeFromOutside(() => run.store.leaseElsewhere(1, 2, 3))
  await clock.advance(7_000)
  expect(run.events.filter(({ type }) => type === 'requests-sent')).toEqual([])
  run.store.changeFromOutside(() => run.store.releaseElsewhere())
  await clock.advance(2_000)
  expect(run.store.responses.size).toBe(3)
  expect(await run.outcome).toEqual({ ended: 'finished', answered: 3, failed: 0 })
})

test('queries the store for changes at intervals, however often the loop runs', async () => {
  const clock = virtualClock()
  const limiter = new AdaptiveLimiter({ concurrency: 2, clock })
  const run = start(hangs, {
    clock,
    texts: [],
    openLimiter: () => Promise.resolve(limiter),
    prepare: store => void (store.isFinished = false),
  })
  await clock.advance(120)
  let asked = 0
  run.store.dataVersion = () => Promise.resolve((asked += 1))
  const other = limiter.join(() => undefined)
  for (let turn = 0; turn < 10; turn += 1) {
    other.enter()
    other.leave()
    await settle()
  }
  expect(asked).toBe(0)
  await clock.advance(50)
  expect(asked).toBeGreaterThan(0)
  run.stop.abort()
  await run.outcome
})

test('asks a gate that opens by itself again, though nothing is in flight', async () => {
  const clock = virtualClock()
  const gate: Gate = { admit: () => (clock.now() < 200 ? undefined : () => undefined) }
  const run = start(answersIn(clock, 10), { clock, gate })
  await clock.advance(1_000)
  expect(run.store.responses.size).toBe(3)
  expect(await run.outcome).toMatchObject({ ended: 'finished', answered: 3 })
})

test('the duration of an answer includes its parts from earlier attempts', async () => {
  const clock = virtualClock()
  const run = start(async (...given) => ({ ...(await answersIn(clock, 30)(...given)), earlierMs: 1_000 }), {
    clock,
    texts: ['a'],
  })
  await clock.runUntil(run.outcome)
  expect(run.store.responses.get(1)!.meta).toMatchObject({ durationMs: 1_030, timing: { earlierMs: 1_000 } })
})

test('notifies the judge of each request that is given up', async () => {
  const run = start(() => Promise.reject(failWith('invalid_request')), { texts: ['a'] })
  let isTold = false
  void run.answered.wait(Infinity).then(() => (isTold = true))
  await run.outcome
  await settle()
  expect(isTold).toBe(true)
})

test('reports each request that reached no server', async () => {
  const nobody = new AttemptError('server', 'nobody listens', { isRetryable: true, isUnreachable: true })
  let asked = 0
  const run = start(
    request => ((asked += 1) <= 3 ? Promise.reject(nobody) : Promise.resolve(answerWith(echo(request)))),
    { concurrency: 1 },
  )
  await run.clock.runUntil(run.outcome)
  expect(run.events.filter(({ type }) => type === 'requests-unsent')).toHaveLength(3)
  expect(run.events.filter(({ type }) => type === 'requests-sent')).toHaveLength(6)
})

test('releases a request that reached no server during the drain', async () => {
  const nobody = new AttemptError('server', 'nobody listens', { isRetryable: true, isUnreachable: true })
  let fail = (): void => undefined
  const run = start(() => new Promise((_, reject) => (fail = () => reject(nobody))), { texts: ['a'] })
  await settle()
  run.drain.abort()
  fail()
  expect(await run.outcome).toEqual({ ended: 'drained', answered: 0, failed: 0 })
  expect([run.store.leased.size, run.clock.pending]).toEqual([0, 0])
})

test('does not report a failure during the drain as a retry', async () => {
  let fail = (): void => undefined
  const run = start(() => new Promise((_, reject) => (fail = () => reject(failWith('server')))), { texts: ['a'] })
  await settle()
  run.drain.abort()
  fail()
  expect(await run.outcome).toEqual({ ended: 'drained', answered: 0, failed: 0 })
  expect(run.events.filter(({ type }) => type === 'request-retried')).toEqual([])
})

test('leases no more while many requests wait for their retries', async () => {
  const run = start(() => Promise.reject(failWith('server')), { texts: numbers(1_000), concurrency: 2 })
  for (let turn = 0; turn < 5; turn += 1) await settle()
  expect(run.store.mostLeased).toBeLessThanOrEqual(8)
  run.stop.abort()
  await run.clock.runUntil(run.outcome)
})

test('leaves a slot to others when it no longer needs it', async () => {
  const clock = virtualClock()
  const limiter = new AdaptiveLimiter({ concurrency: 2, clock })
  const other = limiter.join(() => undefined)
  other.enter()
  // Its only request is late, so that it needs a slot for a second copy until the answer arrives.
  const run = start(answersIn(clock, 300), {
    ...{ clock, texts: ['a'], hedge: { ms: 100 }, openLimiter: () => Promise.resolve(limiter) },
    prepare: store => void (store.isFinished = false),
  })
  await clock.advance(200)
  expect([limiter.inFlight, other.waitMs]).toEqual([2, Infinity])
  await clock.advance(200)
  expect([limiter.inFlight, other.waitMs]).toEqual([1, 0])
  run.drain.abort()
  await run.outcome
})

test('reports whether a rate limit counts as an attempt', async () => {
  const clock = virtualClock()
  const run = start(
    request =>
      echo(request) === 'large' ? Promise.reject(failWith('rate_limited')) : answersIn(clock, 100)(request, never),
    { clock, texts: ['large', ...numbers(400)], retry: retryPolicy(3) },
  )
  await clock.runUntil(run.outcome)
  const retried = run.events.filter(event => event.type === 'request-retried')
  expect(retried.map(({ isThrottled }) => isThrottled === true)).toEqual([true, false, false])
  expect(run.store.failures.get(1)).toMatchObject({ class: 'rate_limited', attempts: 4 })
})

const never = new AbortController().signal
