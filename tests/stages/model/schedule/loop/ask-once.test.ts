import { expect, test } from 'vitest'
import { Budget, type Limits } from '../../../../../stages/model/budget/budget.js'
import { AttemptError, type Model, type ModelRequest } from '../../../../../stages/model/model.js'
import { answerWith, echo, start } from '../../../../support/infer-run.js'
import { virtualClock } from '../../../../support/virtual-clock.js'

const usage = { inputTokens: 10, outputTokens: 2 }
const roundMs = 100

/** Conversations of this many rounds, each with a tenth of a second and twelve tokens. */
function conversations(
  rounds: number,
  given: {
    readonly texts?: readonly string[]
    readonly limits?: Limits
    readonly reject?: (round: number) => boolean
  } = {},
) {
  const { texts = ['a'], limits = {}, reject = () => false } = given
  const clock = virtualClock()
  const sent: { text: string; at: number }[] = []
  const ask = async (request: ModelRequest): Promise<void> => {
    sent.push({ text: echo(request), at: clock.now() })
    const isRateLimited = reject(sent.length)
    await new Promise<void>(resolve => clock.after(roundMs, resolve))
    if (isRateLimited) throw new AttemptError('rate_limited', '429', { isRetryable: true, retryAfter: 5_000 })
  }
  const answer: Model['answer'] = async (request, _signal, _watch, further) => {
    for (let round = 1; round <= rounds; round += 1) {
      if (round > 1) await further?.next(request)
      await ask(request)
      further?.answered(usage)
    }
    return { ...answerWith(echo(request)), usage: { inputTokens: 10 * rounds, outputTokens: 2 * rounds } }
  }
  const budget = new Budget({ limits, say: String, clock, onStop: () => run.drain.abort() })
  const run = start(answer, {
    texts,
    clock,
    concurrency: 2,
    gate: budget.gate(),
    prepare: store => {
      const lease = store.requests.lease.bind(store.requests)
      store.requests.lease = async (...query) => {
        const found = await lease(...query)
        const leases = found.leases.map(one => ({ ...one, input: { ...one.input, conversation: { v: 1 as const } } }))
        return { ...found, leases }
      }
    },
  })
  return { ...run, clock, sent, budget }
}

test('counts each round when it is answered, and the whole answer not again', async () => {
  const run = conversations(3)
  expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 1, failed: 0 })
  expect(run.budget.spent).toMatchObject({ requests: 3, tokens: 36 })
})

test('does not start a round that would exceed a limit, and keeps the answered rounds', async () => {
  const run = conversations(100, { limits: { tokens: 60 } })
  expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'drained', answered: 0, failed: 0 })
  expect(run.budget.spent.tokens).toBeLessThanOrEqual(60)
  expect(run.budget.stopped).toMatchObject({ why: 'budget', limit: 'tokens' })
  expect(run.store.failures.size).toBe(0)
  expect(run.store.leased.size).toBe(0)
})

test('conversations that wait for budget do not block each other', async () => {
  const run = conversations(4, { texts: ['a', 'b', 'c'], limits: { tokens: 3 * 4 * 12 } })
  expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 3, failed: 0 })
})

test('sends no round while the server asks to wait', async () => {
  const run = conversations(3, { texts: ['a', 'b'], reject: sent => sent === 1 })
  expect(await run.clock.runUntil(run.outcome)).toMatchObject({ answered: 2 })
  const exceededAt = run.sent[0]!.at + roundMs
  const early = run.sent.slice(2).filter(({ at }) => at < exceededAt + 5_000)
  expect(early).toEqual([])
  expect(run.sent).toHaveLength(7)
})

test('each sample of a request has a seed of its own, so that a server that honours seeds does not repeat its answer', async () => {
  const seeds: unknown[] = []
  const run = start(
    request => {
      seeds.push(request.generation['seed'])
      return Promise.resolve(answerWith('x'))
    },
    {
      prepare: store => {
        const lease = store.requests.lease.bind(store.requests)
        store.requests.lease = async (...query) => {
          const found = await lease(...query)
          const leases = found.leases.map((one, sample) => ({
            ...one,
            sample,
            generation: { temperature: 1, seed: 3 },
          }))
          return { ...found, leases }
        }
      },
    },
  )
  await run.clock.runUntil(run.outcome)
  expect(seeds.sort()).toEqual([3, 4, 5])
})
