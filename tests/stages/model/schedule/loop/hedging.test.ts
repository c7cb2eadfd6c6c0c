import { describe, expect, test } from 'vitest'
import { PipelineError } from '../../../../../base/errors/errors.js'
import { Budget, type Limits } from '../../../../../stages/model/budget/budget.js'
import { AttemptError, type Model } from '../../../../../stages/model/model.js'
import type { HedgeAfter } from '../../../../../stages/model/schedule/loop/hedge-rule.js'
import type { InferStore } from '../../../../support/infer-store.js'
import { answerWith, echo, failWith, numbers, start } from '../../../../support/infer-run.js'
import { virtualClock, type VirtualClock } from '../../../../support/virtual-clock.js'

type Reply = { readonly ms: number; readonly fails?: AttemptError | PipelineError; readonly text?: string }

/** Answers each copy of a request as configured, and records sent and aborted copies. */
function server(clock: VirtualClock, replyTo: (text: string, copy: number) => Reply) {
  const sent: { text: string; at: number }[] = []
  const brokenOff: { text: string; at: number }[] = []
  let inFlight = 0
  let most = 0
  const answer: Model['answer'] = (request, signal) =>
    new Promise((resolve, reject) => {
      const text = echo(request)
      const reply = replyTo(text, sent.filter(one => one.text === text).length)
      sent.push({ text, at: clock.now() })
      most = Math.max(most, ++inFlight)
      let isDone = false
      const cancel = clock.after(reply.ms, () => {
        isDone = true
        inFlight -= 1
        if (reply.fails !== undefined) reject(reply.fails)
        else resolve({ ...answerWith(reply.text ?? text), usage: { inputTokens: 10, outputTokens: 2 } })
      })
      signal.addEventListener('abort', () => {
        if (isDone) return
        cancel()
        inFlight -= 1
        brokenOff.push({ text, at: clock.now() })
        reject(new Error('aborted'))
      })
    })
  return { answer, sent, brokenOff, most: () => most }
}

type Given = Omit<NonNullable<Parameters<typeof start>[1]>, 'clock'>

function hedged(replyTo: (text: string, copy: number) => Reply, given: Given & { readonly limits?: Limits } = {}) {
  const clock = virtualClock()
  const asked = server(clock, replyTo)
  const { limits, ...options } = given
  const budget = new Budget({ limits: limits ?? {}, say: String, clock, onStop: () => run.drain.abort() })
  const run = start(asked.answer, {
    hedge: { ms: 100 },
    concurrency: 4,
    ...options,
    clock,
    ...(limits === undefined ? {} : { gate: budget.gate() }),
  })
  return { ...run, clock, asked, budget }
}

const textsOf = (store: InferStore) => [...store.responses.values()].map(({ body }) => body.text)
const slowAt = (slow: string) => (text: string, copy: number) => ({ ms: text === slow && copy === 0 ? 5_000 : 20 })

describe('a request that takes too long', () => {
  test('is sent once more; the first answer is kept, and the other copy is aborted', async () => {
    const run = hedged(slowAt('b'))
    expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 3, failed: 0 })
    expect(run.clock.now()).toBe(120)
    expect(run.asked.sent.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'b'])
    expect(run.asked.brokenOff).toEqual([{ text: 'b', at: 120 }])
    expect(textsOf(run.store).sort()).toEqual(['a', 'b', 'c'])
    expect(run.store.responses.get(2)!.meta).toMatchObject({
      attempts: 1,
      hedges: 1,
      isHedgeFirst: true,
      durationMs: 20,
      timing: { queueMs: 0, retryWaitMs: 100 },
    })
    expect(run.events.filter(({ type }) => type.startsWith('hedge'))).toEqual([
      { type: 'hedge-sent' },
      { type: 'hedge-ended', isFirst: true },
    ])
  })

  test('is sent at most twice, and the first copy may still win', async () => {
    const run = hedged(text => ({ ms: text === 'b' ? 150 : 20 }))
    await run.clock.runUntil(run.outcome)
    expect(run.asked.sent.filter(({ text }) => text === 'b')).toHaveLength(2)
    expect(run.asked.brokenOff).toEqual([{ text: 'b', at: 150 }])
    const { meta } = run.store.responses.get(2)!
    expect(meta).toMatchObject({ hedges: 1, durationMs: 150 })
    expect(meta.isHedgeFirst).toBeUndefined()
  })

  test('leaves no timer behind if no request was late', async () => {
    const run = hedged(text => ({ ms: text === 'a' ? 20 : 30 }))
    await run.clock.runUntil(run.outcome)
    expect([run.clock.now(), run.clock.pending]).toEqual([30, 0])
  })

  test('is detected by the latencies of others, once there are enough', async () => {
    const run = hedged(slowAt('39'), { texts: numbers(40), hedge: { quantile: 0.95 } })
    await run.clock.runUntil(run.outcome)
    expect(run.asked.sent).toHaveLength(41)
    expect(run.clock.now()).toBeLessThan(300)
  })

  test('is not sent twice without the option', async () => {
    const run = hedged(slowAt('b'), { hedge: undefined } as unknown as Given)
    await run.clock.runUntil(run.outcome)
    expect(run.asked.sent).toHaveLength(3)
    expect(run.clock.now()).toBe(5_000)
  })

  test('waits for its own slot, and precedes new requests', async () => {
    const run = hedged(slowAt('0'), { texts: numbers(30), concurrency: 2 })
    await run.clock.runUntil(run.outcome)
    expect(run.asked.most()).toBe(2)
    expect(run.asked.sent.filter(({ text }) => text === '0').map(({ at }) => at)).toEqual([0, 100])
    // Five answers before the copy was sent, one while it was in flight, and then two at a time.
    expect(run.clock.now()).toBe(360)
  })
})

describe('a failure of the second copy', () => {
  test.each(['rate_limited', 'server', 'invalid_request'] as const)(
    'has no effect on the request: %s',
    async (name: 'rate_limited' | 'server' | 'invalid_request') => {
      const run = hedged((text, copy) =>
        copy === 1 ? { ms: 5, fails: failWith(name) } : { ms: text === 'b' ? 400 : 20 },
      )
      expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 3, failed: 0 })
      expect(run.clock.now()).toBe(400)
      expect(run.store.responses.get(2)!.meta).toMatchObject({ attempts: 1, hedges: 1, durationMs: 400 })
      expect(run.store.failures.size).toBe(0)
      expect(run.asked.sent).toHaveLength(4)
    },
  )

  test("counts as the first copy's failure if no copy is answered", async () => {
    const run = hedged((text, copy) =>
      text !== 'b' ? { ms: 20 } : copy < 2 ? { ms: 150, fails: failWith('server') } : { ms: 10 },
    )
    await run.clock.runUntil(run.outcome)
    expect(run.asked.sent.filter(({ text }) => text === 'b')).toHaveLength(3)
    expect(run.store.responses.get(2)!.meta).toMatchObject({ attempts: 2, hedges: 1 })
  })

  test('of the first copy leaves the second in flight', async () => {
    const run = hedged((text, copy) =>
      text !== 'b' ? { ms: 20 } : copy === 0 ? { ms: 110, fails: failWith('server') } : { ms: 50 },
    )
    await run.clock.runUntil(run.outcome)
    expect(run.asked.sent).toHaveLength(4)
    expect(run.store.responses.get(2)!.meta).toMatchObject({ attempts: 1, hedges: 1, isHedgeFirst: true })
  })

  test('of the first copy ends both if a retry would fail, too', async () => {
    const run = hedged((text, copy) =>
      text !== 'b' ? { ms: 20 } : copy === 0 ? { ms: 110, fails: failWith('invalid_request') } : { ms: 5_000 },
    )
    expect(await run.clock.runUntil(run.outcome)).toMatchObject({ answered: 2, failed: 1 })
    expect(run.clock.now()).toBe(110)
    expect(run.store.failures.get(2)).toMatchObject({ class: 'invalid_request', attempts: 2 })
  })
})

test('an error that ends the run does not wait for the second copy', async () => {
  const run = hedged((text, copy) =>
    text !== 'b'
      ? { ms: 20 }
      : copy === 0
        ? { ms: 110, fails: new PipelineError('config', 'no such model') }
        : { ms: 5_000 },
  )
  await expect(run.clock.runUntil(run.outcome)).rejects.toThrow('no such model')
  expect(run.clock.now()).toBe(110)
})

describe('the number of second copies', () => {
  const copiesOf = async (requests: number, replyTo: (text: string, copy: number) => Reply, hedge: HedgeAfter) => {
    const run = hedged(replyTo, { texts: numbers(requests), concurrency: 200, hedge })
    await run.clock.runUntil(run.outcome)
    return run.events.filter(({ type }) => type === 'hedge-sent').length
  }

  test('is limited to eight plus a tenth of the requests if none is answered first', async () => {
    expect(await copiesOf(100, () => ({ ms: 500 }), { ms: 100 })).toBe(18)
  })

  test('is unlimited while each is answered first', async () => {
    expect(await copiesOf(60, (_text, copy) => ({ ms: copy === 0 ? 5_000 : 20 }), { ms: 100 })).toBe(60)
  })

  test('depends on the latency of answers, not of failures', async () => {
    const replyTo = (text: string): Reply =>
      Number(text) < 30 ? { ms: 1, fails: failWith('invalid_request') } : { ms: 100 }
    expect(await copiesOf(40, replyTo, { quantile: 0.5 })).toBe(0)
  })
})

test('never sends a conversation twice, because it calls tools', async () => {
  const run = hedged(text => ({ ms: text === 'b' ? 500 : 20 }), {
    prepare: store => {
      const lease = store.requests.lease.bind(store.requests)
      store.requests.lease = async (...query) => {
        const found = await lease(...query)
        const leases = found.leases.map(one => ({ ...one, input: { ...one.input, conversation: { v: 1 as const } } }))
        return { ...found, leases }
      }
    },
  })
  await run.clock.runUntil(run.outcome)
  expect(run.asked.sent).toHaveLength(3)
  expect(run.events.filter(({ type }) => type === 'note')).toEqual([])
})

describe('a budget', () => {
  test('counts a second copy as a request, with the tokens of the answer as a maximum', async () => {
    const run = hedged(slowAt('b'), { limits: { requests: 10 } })
    await run.clock.runUntil(run.outcome)
    expect(run.budget.spent).toMatchObject({ requests: 4, tokens: 48 })
  })

  test('that is used up sends no second copy, and does not end the run', async () => {
    const run = hedged(slowAt('b'), { limits: { requests: 3 } })
    expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 3, failed: 0 })
    expect(run.asked.sent).toHaveLength(3)
    expect(run.budget.stopped).toBeUndefined()
  })

  test('gives first copies precedence', async () => {
    const run = hedged(slowAt('0'), { texts: numbers(30), concurrency: 2, limits: { requests: 30 } })
    expect(await run.clock.runUntil(run.outcome)).toMatchObject({ answered: 30 })
    expect(run.asked.sent).toHaveLength(30)
  })
})

test('never sends a sampled request twice, with one note', async () => {
  const run = hedged(text => ({ ms: text === 'b' ? 500 : 20 }), {
    prepare: store => {
      const lease = store.requests.lease.bind(store.requests)
      store.requests.lease = async (...query) => {
        const found = await lease(...query)
        return { ...found, leases: found.leases.map(one => ({ ...one, generation: { temperature: 0.7 } })) }
      }
    },
  })
  await run.clock.runUntil(run.outcome)
  expect(run.asked.sent).toHaveLength(3)
  expect(run.events.filter(({ type }) => type === 'note')).toHaveLength(1)
})

test('a stop aborts both copies and releases the request', async () => {
  const run = hedged(text => ({ ms: text === 'b' ? 5_000 : 20 }))
  await run.clock.advance(200)
  run.stop.abort()
  expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'stopped', answered: 2, failed: 0 })
  expect(run.asked.brokenOff).toHaveLength(2)
  expect(run.store.leased.size).toBe(0)
})

test('a drain starts no second copy', async () => {
  const run = hedged(text => ({ ms: text === 'b' ? 500 : 20 }))
  await run.clock.advance(50)
  run.drain.abort()
  expect(await run.clock.runUntil(run.outcome)).toMatchObject({ answered: 3 })
  expect(run.asked.sent).toHaveLength(3)
})
