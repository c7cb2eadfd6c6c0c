import { describe, expect, test } from 'vitest'
import type { StageEvent } from '../../../../../cache/events.js'
import type { Model } from '../../../../../stages/model/model.js'
import { AdaptiveLimiter } from '../../../../../stages/model/schedule/limits/adaptive-limiter.js'
import { PaceTeller } from '../../../../../stages/model/schedule/loop/pace-teller.js'
import { retryPolicy } from '../../../../../stages/model/schedule/loop/retry.js'
import { answerWith, echo, failWith, numbers, start } from '../../../../support/infer-run.js'
import { virtualClock, type VirtualClock } from '../../../../support/virtual-clock.js'

const answersIn =
  (clock: VirtualClock, ms: number): Model['answer'] =>
  request =>
    new Promise(resolve => void clock.after(ms, () => resolve(answerWith(echo(request)))))

type Run = ReturnType<typeof start>
const pacesOf = ({ events }: Run) => events.filter(event => event.type === 'pace')

describe('the reported pace of a loop', () => {
  test('contains how long the oldest request has been in flight', async () => {
    const clock = virtualClock()
    const run = start(answersIn(clock, 400), { clock, texts: numbers(20), concurrency: 1 })
    await clock.runUntil(run.outcome)
    const oldest = pacesOf(run).flatMap(({ oldestMs }) => oldestMs ?? [])
    expect(oldest.length).toBeGreaterThan(5)
    expect(Math.max(...oldest)).toBeLessThanOrEqual(400)
  })

  test('is reported once more if all requests hang from then on', async () => {
    const clock = virtualClock()
    const run = start(answersIn(clock, 10_500), { clock, texts: ['a'] })
    await clock.runUntil(run.outcome)
    expect(pacesOf(run).flatMap(({ oldestMs }) => oldestMs ?? [])).toEqual([1_000])
    expect(clock.pending).toBe(0)
  })

  test('counts each rate limit once', async () => {
    let asked = 0
    const run = start(
      request =>
        (asked += 1) <= 4
          ? Promise.reject(failWith('rate_limited', 2_000))
          : Promise.resolve(answerWith(echo(request))),
      { texts: numbers(4), concurrency: 1 },
    )
    await run.clock.runUntil(run.outcome)
    expect(pacesOf(run).reduce((sum, { throttled }) => sum + throttled, 0)).toBe(4)
  })

  test('is stored every ten seconds and at the end', async () => {
    const clock = virtualClock()
    const keptAt: number[] = []
    const keepLimiter = (): Promise<void> => Promise.resolve(void keptAt.push(clock.now()))
    const run = start(answersIn(clock, 500), { clock, texts: numbers(50), concurrency: 1, keepLimiter })
    await clock.runUntil(run.outcome)
    expect(keptAt).toEqual([10_000, 20_000, 25_000])
  })

  test('is stored in order', async () => {
    const clock = virtualClock()
    const begun: number[] = []
    const keepLimiter = (): Promise<void> => {
      begun.push(clock.now())
      return new Promise(resolve => void clock.after(12_000, resolve))
    }
    const run = start(answersIn(clock, 500), { clock, texts: numbers(50), concurrency: 1, keepLimiter })
    await clock.runUntil(run.outcome)
    expect(begun).toEqual([10_000, 22_000, 34_000])
    expect(clock.now()).toBe(46_000)
  })
})

test('an answer that could not be stored ends the run with its error, after everything else', async () => {
  const clock = virtualClock()
  const keepLimiter = (): Promise<void> => Promise.reject(new Error('disk full'))
  const run = start(answersIn(clock, 500), { clock, texts: numbers(50), concurrency: 1, keepLimiter })
  await expect(clock.runUntil(run.outcome)).rejects.toThrow('disk full')
  expect([run.store.responses.size, run.store.leased.size]).toEqual([50, 0])
})

describe('a standstill', () => {
  test('whose end is noted late has no negative duration', async () => {
    const clock = virtualClock()
    await clock.advance(5_000)
    const events: StageEvent[] = []
    const teller = new PaceTeller({ clock, emit: event => void events.push(event) })
    const limiter = new AdaptiveLimiter({ concurrency: 2, clock })
    teller.look(limiter, { why: 'retry', message: 'failed', since: 1_000, until: 4_000 })
    await teller.end(limiter)
    expect(events[0]).toMatchObject({ standstill: { why: 'retry', forMs: 4_000, untilMs: 0 } })
    expect(events[1]).not.toHaveProperty('standstill')
  })

  const whysOf = (run: Run) => pacesOf(run).map(({ standstill }) => standstill?.why)

  test('is a wait for a retry if nothing else is left for this process', async () => {
    const run = start(() => Promise.reject(failWith('server')), {
      texts: numbers(3),
      retry: retryPolicy(6, 60_000),
      prepare: store => store.leaseElsewhere(2, 3),
    })
    await run.clock.advance(10_000)
    expect(whysOf(run)).toContain('retry')
    expect(whysOf(run)).not.toContain('others')
    run.stop.abort()
    await run.clock.runUntil(run.outcome)
  })

  test('is reported as soon as it begins, and no longer after its end', async () => {
    const clock = virtualClock()
    const run = start(answersIn(clock, 10), { clock, texts: numbers(2), prepare: store => store.leaseElsewhere(2) })
    await clock.advance(1_500)
    expect(whysOf(run)[1]).toBe('others')
    const since = pacesOf(run).flatMap(({ standstill }) => (standstill === undefined ? [] : [standstill.forMs]))
    expect(Math.max(...since)).toBeGreaterThan(500)
    run.store.changeFromOutside(() => run.store.releaseElsewhere())
    await clock.runUntil(run.outcome)
    expect(whysOf(run).at(-1)).toBeUndefined()
  })

  test('does not exist while a request is in flight and another one waits for its retry', async () => {
    const clock = virtualClock()
    let failures = 0
    const run = start(
      request =>
        echo(request) === 'a' && (failures += 1) <= 4
          ? Promise.reject(failWith('server'))
          : answersIn(clock, 8_000)(request, new AbortController().signal),
      { clock, texts: ['a', 'b'] },
    )
    await clock.advance(3_500)
    expect(pacesOf(run).length).toBeGreaterThan(2)
    expect(whysOf(run).filter(why => why !== undefined)).toEqual([])
    run.stop.abort()
    await clock.runUntil(run.outcome)
  })
})
