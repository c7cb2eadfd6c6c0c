import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Budget, type Limits, type Stop } from '../../../../stages/model/budget/budget.js'
import type { Permit } from '../../../../stages/model/budget/gate.js'
import { virtualClock } from '../../../support/virtual-clock.js'

const flags = {
  requests: '--max-requests',
  tokens: '--max-tokens-total',
  dollars: '--max-cost',
  milliseconds: '--max-time',
  failures: '--fail-fast',
}
const price = { input: 1, output: 1 }

function budgetOf(limits: Limits) {
  const clock = virtualClock()
  const stops: Stop[] = []
  const say = (limit: keyof Limits) => `${flags[limit]} ${limits[limit]}`
  const budget = new Budget({ limits, say, clock, onStop: stop => void stops.push(stop) })
  return { budget, clock, stops, gate: budget.gate({ price }) }
}

/** 28 bytes, estimated as 11 tokens with the overhead of a turn. */
const request = (most?: number) => ({
  input: {
    type: 'generate_until' as const,
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'How many legs has a spider??' }] }],
  },
  generation: most === undefined ? {} : { max_new_tokens: most },
})
const answered = (inputTokens: number, outputTokens: number) =>
  ({ type: 'answered', usage: { inputTokens, outputTokens } }) as const
const failed = (more: object = {}) =>
  ({ type: 'failed', class: 'invalid_request', message: '400 no', isForGood: true, ...more }) as const

describe('a limit of requests', () => {
  it('admits attempts up to the limit, then gives the reason', () => {
    const { gate, stops, budget } = budgetOf({ requests: 2 })
    gate.admit(request())?.(failed({ isForGood: false, class: 'server' }))
    expect(gate.admit(request())).toBeDefined()
    expect(stops).toEqual([])
    expect(gate.admit(request())).toBeUndefined()
    expect(stops).toMatchObject([{ why: 'budget', message: '--max-requests 2: 2 were sent' }])
    expect(budget.stopped).toEqual(stops[0])
    expect(gate.admit(request())).toBeUndefined()
    expect(stops).toHaveLength(1)
  })

  it('is not exceeded if no further request comes', () => {
    const { gate, stops } = budgetOf({ requests: 1 })
    gate.admit(request())?.(answered(5, 5))
    expect(stops).toEqual([])
  })

  it('admits optional requests only within the limit, and does not end because of them', () => {
    const { gate, stops, budget } = budgetOf({ requests: 2 })
    expect(gate.isScarce).toBe(true)
    gate.admit(request())
    gate.admit(request(), 'spare')?.({ type: 'overtaken', usage: { inputTokens: 5, outputTokens: 6 } })
    expect(gate.admit(request(), 'spare')).toBeUndefined()
    expect(stops).toEqual([])
    expect(budget.spent).toMatchObject({ requests: 2, tokens: 11 })
  })

  it('counts permanent failures between two requests', () => {
    const { gate, stops } = budgetOf({ failures: 1 })
    gate.failed?.(failed())
    expect(stops).toMatchObject([{ why: 'failures' }])
  })

  it('is shared by all models of a command', () => {
    const { budget, stops } = budgetOf({ requests: 1 })
    expect(budget.gate({ price }).admit(request())).toBeDefined()
    expect(budget.gate().admit(request())).toBeUndefined()
    expect(stops).toHaveLength(1)
  })
})

describe('a limit of tokens', () => {
  it('sends one request alone if the longest answer could exceed it, and learns from it', () => {
    const { gate, stops } = budgetOf({ tokens: 100 })
    const first = gate.admit(request(4_096))
    expect(first).toBeDefined()
    expect(gate.admit(request(4_096))).toBeUndefined()
    expect(stops).toEqual([])
    first?.(answered(7, 3))
    let sent = 1
    for (let ticket; (ticket = gate.admit(request(4_096))) !== undefined; sent++) ticket(answered(7, 3))
    expect(sent).toBe(10)
    expect(stops[0]?.message).toBe('--max-tokens-total 100: 100 used, the next may be too much')
  })

  it('sends nothing if not even the prompt fits', () => {
    const { gate, stops } = budgetOf({ tokens: 5 })
    expect(gate.admit(request())).toBeUndefined()
    expect(stops[0]?.why).toBe('budget')
  })

  it('waits for requests in flight before it reports exhaustion', () => {
    const { gate, stops } = budgetOf({ tokens: 200 })
    const under = [gate.admit(request(80)), gate.admit(request(80))]
    expect(under.every(ticket => ticket !== undefined)).toBe(true)
    expect(gate.admit(request(80))).toBeUndefined()
    expect(stops).toEqual([])
    under[0]?.(answered(11, 9))
    expect(gate.admit(request(80))).toBeDefined()
  })

  it('releases the reservation of a request that failed or was aborted', () => {
    const { gate, budget } = budgetOf({ tokens: 100 })
    gate.admit(request(80))?.(failed({ isForGood: false, class: 'server' }))
    gate.admit(request(80))?.({ type: 'broken-off' })
    expect(gate.admit(request(80))).toBeDefined()
    expect(budget.spent).toMatchObject({ requests: 3, tokens: 0 })
  })

  it('counts the billed tokens of a failed attempt, and learns nothing from it', () => {
    const { gate, budget } = budgetOf({ tokens: 100 })
    const usage = { inputTokens: 11, outputTokens: 30 }
    gate.admit(request(80))?.(failed({ isForGood: false, class: 'refused', usage }))
    expect(budget.spent).toMatchObject({ tokens: 41 })
  })

  it('uses its estimate if the server reports no tokens', () => {
    const { gate, budget } = budgetOf({ tokens: 1_000 })
    gate.admit(request(20))?.({ type: 'answered' })
    // At most ten for its 28 bytes, eight for the overhead of a turn, and the twenty allowed ones.
    expect(budget.spent.tokens).toBe(38)
  })

  it('is never exceeded while no answer is longer than the longest before, in any order', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 40 })), { maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 2_000 }), steps, (tokens, moves) => {
        const { gate, budget } = budgetOf({ tokens })
        gate.admit(request(40))?.(answered(11, 40))
        const under: Permit[] = []
        for (const [isSent, output] of moves) {
          const ticket = isSent ? gate.admit(request(40)) : undefined
          if (ticket !== undefined) under.push(ticket)
          else under.shift()?.(answered(11, output))
        }
        for (const ticket of under) ticket(answered(11, 40))
        expect(budget.spent.tokens).toBeLessThanOrEqual(tokens)
      }),
    )
  })

  it('counts a ticket once', () => {
    const { gate, budget } = budgetOf({ tokens: 1_000 })
    const ticket = gate.admit(request(10))
    ticket?.(answered(10, 10))
    ticket?.(answered(10, 10))
    expect(budget.spent.tokens).toBe(20)
  })
})

describe('a limit of dollars', () => {
  it('is charged at the price of each model', () => {
    const { budget, stops } = budgetOf({ dollars: 0.0001 })
    const cheap = budget.gate({ price: { input: 1, output: 1 } })
    const dear = budget.gate({ price: { input: 5, output: 5 } })
    cheap.admit(request(20))?.(answered(10, 10))
    dear.admit(request(1))?.(answered(10, 1))
    expect(budget.spent.dollars).toBeCloseTo(0.000075, 9)
    expect(dear.admit(request(1))).toBeUndefined()
    expect(stops[0]?.message).toBe('--max-cost 0.0001: $0.0001 spent, the next may be too much')
  })

  it('is not used up by a free model', () => {
    const { budget } = budgetOf({ dollars: 0 })
    expect(budget.gate({ price: { input: 0, output: 0 } }).admit(request())).toBeDefined()
  })
})

describe('a limit of time', () => {
  it('ends at its time and not before', async () => {
    const { gate, clock, stops } = budgetOf({ milliseconds: 90_000 })
    await clock.advance(89_999)
    expect(gate.admit(request())).toBeDefined()
    await clock.advance(1)
    expect(gate.admit(request())).toBeUndefined()
    expect(stops).toMatchObject([{ why: 'budget', message: '--max-time 90000: time is up' }])
  })

  it('does not fire after the work ended', async () => {
    const { budget, clock, stops } = budgetOf({ milliseconds: 10 })
    budget.close()
    await clock.advance(100)
    expect(stops).toEqual([])
    expect(clock.pending).toBe(0)
  })
})

describe('a limit of failures', () => {
  const wrongKey = { about: 'key', said: '401 wrong key', keyVariable: 'SOME_KEY', hasKey: false } as const

  it('stops the work at its number of permanent failures', () => {
    const { gate, stops } = budgetOf({ failures: 2 })
    gate.admit(request())?.(failed({ isForGood: false, class: 'server' }))
    gate.admit(request())?.(failed())
    gate.admit(request())?.(failed({ class: 'budget' }))
    expect(stops).toEqual([])
    gate.admit(request())?.(failed({ message: '400 too long' }))
    expect(stops).toMatchObject([
      { why: 'failures', message: '--fail-fast 2: the last was invalid_request: 400 too long' },
    ])
  })

  it('three access failures stop the run if nothing was answered', () => {
    const refusal = failed({ message: '401 wrong key', access: wrongKey })
    const { gate, stops, budget } = budgetOf({})
    for (let n = 0; n < 2; n++) gate.admit(request())?.(refusal)
    expect(stops).toEqual([])
    expect(budget.refusal).toMatchObject({ why: 'access', refused: 2 })
    gate.admit(request())?.(refusal)
    expect(stops).toEqual([{ why: 'access', message: '401 wrong key', access: wrongKey, refused: 3 }])
    expect(budget.stopped?.why).toBe('access')
  })

  it('failures of an exhausted account stop a run if nothing is answered in between', () => {
    const refusal = failed({ message: '429 no credit', class: 'rate_limited', access: { about: 'account' } })
    const { gate, stops } = budgetOf({})
    for (const end of [answered(1, 1), refusal, refusal, answered(1, 1), refusal, refusal]) gate.admit(request())?.(end)
    expect(stops).toEqual([])
    gate.admit(request())?.(refusal)
    expect(stops).toMatchObject([{ why: 'access', message: '429 no credit', access: { about: 'account' } }])
  })

  it('connection failures stop the run within seconds before the first answer, and after five minutes later', async () => {
    const down = failed({ class: 'server', message: 'nobody listens there', isUnreachable: true })
    const { gate, stops, clock } = budgetOf({})
    gate.admit(request())?.(down)
    await clock.advance(2_999)
    gate.admit(request())?.(down)
    gate.admit(request())?.(answered(1, 1))
    gate.admit(request())?.(down)
    await clock.advance(299_999)
    gate.admit(request())?.(failed({ class: 'server', message: '500' }))
    gate.admit(request())?.(down)
    await clock.advance(299_999)
    gate.admit(request())?.(down)
    expect(stops).toEqual([])
    await clock.advance(1)
    gate.admit(request())?.(down)
    expect(stops).toMatchObject([
      { why: 'access', message: 'nobody listens there (for 300 s)', access: { about: 'connection' } },
    ])
  })

  it('connection failures stop the run sooner before the first answer', async () => {
    const down = failed({ class: 'server', message: 'nobody listens there', isUnreachable: true })
    const { gate, stops, clock } = budgetOf({})
    gate.admit(request())?.(down)
    await clock.advance(3_000)
    expect(stops).toEqual([])
    gate.admit(request())?.(down)
    expect(stops).toMatchObject([{ why: 'access', message: 'nobody listens there (for 3 s)' }])
  })

  it('access failures may concern one model alone', () => {
    const { budget, stops } = budgetOf({})
    const refused: string[] = []
    const gate = budget.gate({ onRefused: (message, name) => void refused.push(`${name}: ${message}`) })
    for (let n = 0; n < 3; n++) gate.admit(request())?.(failed({ message: '401', access: wrongKey }))
    expect(refused).toEqual(['invalid_request: 401'])
    expect(stops).toEqual([])
  })

  it('access failures count for single requests after the first answer', () => {
    const { gate, stops, budget } = budgetOf({})
    gate.admit(request())?.(answered(1, 1))
    expect(budget.refusal).toBeUndefined()
    for (let n = 0; n < 9; n++) gate.admit(request())?.(failed({ access: wrongKey }))
    expect(budget.refusal).toBeUndefined()
    expect(stops).toEqual([])
  })
})
