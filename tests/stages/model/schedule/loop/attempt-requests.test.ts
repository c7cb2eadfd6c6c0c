import { describe, expect, test } from 'vitest'
import type { Input, Usage } from '../../../../../cache/records.js'
import type { Lease } from '../../../../../cache/store.js'
import type { Ending, Gate } from '../../../../../stages/model/budget/gate.js'
import { AttemptError, type Model } from '../../../../../stages/model/model.js'
import { AdaptiveLimiter } from '../../../../../stages/model/schedule/limits/adaptive-limiter.js'
import type { SendResult } from '../../../../../stages/model/schedule/limits/sends.js'
import { askOnce, type AttemptEnd } from '../../../../../stages/model/schedule/loop/ask-once.js'
import { pendingRequest, type PendingRequest } from '../../../../../stages/model/schedule/loop/pending-request.js'
import { retryPolicy } from '../../../../../stages/model/schedule/loop/retry.js'
import { answerWith, failWith } from '../../../../support/infer-run.js'
import { InferStore } from '../../../../support/infer-store.js'
import { settle, virtualClock } from '../../../../support/virtual-clock.js'

const question: Input = { type: 'generate_until', messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] }
const conversation: Input = { ...question, conversation: { v: 1 } }

/** Makes one attempt, and records what limiter, permit and gate learn from it. */
function attempt(
  answer: Model['answer'],
  given: { input?: Input; pending?: Partial<PendingRequest>; isHedge?: boolean; admit?: Gate['admit'] } = {},
) {
  const { input = question, pending = {}, isHedge = false, admit } = given
  const clock = virtualClock()
  const limiter = new AdaptiveLimiter({ concurrency: 4, clock })
  const results: SendResult[] = []
  const learnt: unknown[] = []
  const endings: Ending[] = []
  const failures: Ending[] = []
  const end = limiter.end.bind(limiter)
  limiter.end = (send, result) => {
    results.push(result)
    end(send, result)
  }
  limiter.learn = (_send, limits) => void learnt.push(limits)
  const permit = (ending: Ending): void => void endings.push(ending)
  const [drain, stop] = [new AbortController(), new AbortController()]
  const client = limiter.join(() => undefined)
  const lease: Lease = {
    ...{ request: 1, token: 1, key: 'sha256:1' as Lease['key'], input, generation: {}, sample: 0 },
    item: { run: 1, id: 1, task: 't', doc: 'a' },
  }
  const copy = { send: client.enter(), permit, isHedge }
  const ended: Promise<AttemptEnd> = askOnce({ ...pendingRequest(lease, 0), ...pending }, copy, {
    run: new InferStore().run,
    ...{ model: { answer }, client, clock, signal: stop.signal, drain: drain.signal, random: () => 0.5 },
    retry: retryPolicy(),
    gate: { admit: admit ?? (() => permit), failed: ending => void failures.push(ending) },
  })
  return { clock, limiter, results, learnt, endings, failures, drain, stop, ended }
}

const answering = (usage?: Usage) => () => Promise.resolve({ ...answerWith('b'), usage })

describe('the limiter', () => {
  test.each<[Usage | undefined, number | undefined]>([
    [{ inputTokens: 10, outputTokens: 2 }, 12],
    [{ inputTokens: 10 }, 10],
    [{ outputTokens: 2 }, 2],
    [undefined, undefined],
  ])('learns that %o is %s tokens', async (usage, tokens) => {
    const { ended, results, endings } = attempt(answering(usage))
    await ended
    expect(results).toEqual([{ type: 'answered', tokens }])
    expect(endings).toEqual([{ type: 'answered', usage }])
  })

  test('learns the limits that a server states during the attempt', async () => {
    const { ended, learnt } = attempt((_request, _signal, watch) => {
      watch?.({ type: 'limits', limits: { requests: { remaining: 5 } } })
      return Promise.resolve(answerWith('b'))
    })
    await ended
    expect(learnt).toEqual([{ requests: { remaining: 5 } }])
  })

  test.each([
    ['server', 'server'],
    ['timeout', 'timeout'],
    ['refused', 'other'],
  ] as const)('learns a failure of class %s as %s', async (name, type) => {
    const { ended, results } = attempt(() => Promise.reject(new AttemptError(name, 'failed', { isRetryable: true })))
    await ended
    expect(results).toEqual([{ type }])
  })

  test('learns that a rate limit is odd after others were answered twice', async () => {
    const end = async (strikes: number) => {
      const { ended, results } = attempt(() => Promise.reject(failWith('rate_limited')), { pending: { strikes } })
      await ended
      return results
    }
    const limited = { type: 'rate_limited', message: 'failed as rate_limited' }
    expect(await end(1)).toEqual([{ ...limited, isOdd: false }])
    expect(await end(2)).toEqual([{ ...limited, isOdd: true }])
  })

  test('does not get the time of a rate limit beyond the maximum wait', async () => {
    const { ended, results, endings, limiter } = attempt(() => Promise.reject(failWith('rate_limited', 3_600_000)))
    expect(await ended).toMatchObject({ type: 'failed', next: 'give up' })
    expect(results).toMatchObject([{ type: 'rate_limited', retryAfter: undefined }])
    expect(limiter.pauseMs).toBeLessThan(1_000)
    expect(endings).toMatchObject([{ type: 'failed', awayMs: 3_600_000 }])
  })

  test('gets the time of a rate limit equal to the maximum wait', async () => {
    const { ended, results, endings } = attempt(() => Promise.reject(failWith('rate_limited', 900_000)))
    expect(await ended).toMatchObject({ type: 'failed', next: { waitMs: 900_000 } })
    expect(results).toMatchObject([{ type: 'rate_limited', retryAfter: 900_000 }])
    expect(endings).toMatchObject([{ type: 'failed', awayMs: undefined }])
  })

  test('learns nothing from a conversation without a request', async () => {
    const { ended, results, endings } = attempt(answering({ inputTokens: 10 }), { input: conversation })
    expect(await ended).toMatchObject({ type: 'answered' })
    expect([results, endings]).toEqual([[{ type: 'broken-off' }], [{ type: 'broken-off' }]])
  })
})

test('a rate limit of a closed server is permanent, and other failures are retried', async () => {
  const closed = async (error: AttemptError) => {
    const { ended, limiter } = attempt(async () => {
      await Promise.resolve()
      throw error
    })
    Object.defineProperty(limiter, 'isClosed', { get: () => true })
    const end = await ended
    return end.type === 'failed' ? end.next : end.type
  }
  expect(await closed(failWith('rate_limited'))).toBe('give up')
  expect(await closed(failWith('server', 1_000))).toBe('give up')
  expect(await closed(failWith('server'))).toEqual({ waitMs: 250 })
})

test('the failure of a hedged copy is never permanent', async () => {
  const told = async (isHedge: boolean) => {
    const { ended, endings } = attempt(() => Promise.reject(failWith('invalid_request')), { isHedge })
    await ended
    return endings
  }
  expect(await told(true)).toMatchObject([{ type: 'failed', isForGood: false }])
  expect(await told(false)).toMatchObject([{ type: 'failed', isForGood: true }])
})

test.each([
  ['loglikelihood', undefined, 'the model backend dummy answered loglikelihood without body.logprob, a number'],
  ['loglikelihood', -0.5, undefined],
  ['generate_until', undefined, undefined],
] as const)('an answer to %s with log-probability %s ends with %s', async (type, logprob, message) => {
  const body = { text: '', finishReason: 'stop' as const, ...(logprob === undefined ? {} : { logprob }) }
  const end = await attempt(() => Promise.resolve({ body }), { input: { ...question, type } }).ended
  if (message === undefined) expect(end.type).toBe('answered')
  else expect(end).toMatchObject({ type: 'broken-off', thrown: { message } })
})

describe('between two rounds', () => {
  /** Sends a round, and then a further one when it may. */
  const twoRounds: Model['answer'] = async (request, _signal, _watch, further) => {
    further?.answered({ outputTokens: 1 })
    await further?.next(request)
    further?.answered({ outputTokens: 2 })
    return answerWith('b')
  }

  test.each(['drain', 'stop'] as const)('a %s ends a wait for budget at once, without a failure', async signal => {
    const run = attempt(twoRounds, { input: conversation, admit: () => undefined })
    await run.clock.advance(120)
    run[signal].abort()
    await settle()
    expect(run.clock.pending).toBe(0)
    expect(await run.ended).toEqual({ type: 'broken-off' })
    expect(run.results).toEqual([{ type: 'answered', tokens: 1 }])
    expect(run.failures).toEqual([])
  })

  test('releases the permit and acquires another one', async () => {
    const own: Ending[] = []
    const run = attempt(twoRounds, { input: conversation, admit: () => ending => void own.push(ending) })
    expect(await run.ended).toMatchObject({ type: 'answered' })
    expect(run.endings).toEqual([{ type: 'answered', usage: { outputTokens: 1 } }])
    expect(own).toEqual([{ type: 'answered', usage: { outputTokens: 2 } }])
  })

  test('reports a failure to the gate, because no request carries it', async () => {
    const run = attempt(
      (_request, _signal, _watch, further) => {
        further?.answered({ outputTokens: 1 })
        return Promise.reject(failWith('server'))
      },
      { input: conversation },
    )
    expect(await run.ended).toMatchObject({ type: 'failed', next: { waitMs: 250 } })
    expect(run.endings).toEqual([{ type: 'answered', usage: { outputTokens: 1 } }])
    expect(run.failures).toMatchObject([{ type: 'failed', class: 'server', isForGood: false }])
  })
})
