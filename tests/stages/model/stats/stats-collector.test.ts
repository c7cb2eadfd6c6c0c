import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Failure, ResponseMeta } from '../../../../cache/records.js'
import { statsCollector } from '../../../../stages/model/stats/stats-collector.js'
import type { RunStats } from '../../../../stages/model/stats/run-stats.js'
import { answerMeta, timedRun } from '../../../support/answer-meta.js'

function figuresOf(metas: readonly ResponseMeta[], failures: readonly Failure[] = []): RunStats {
  const collector = statsCollector(timedRun)
  for (const meta of metas) collector.add(meta)
  return collector.finish(failures)
}

test('excludes time between two processes of a run, and includes the answers of both', () => {
  const first = [answerMeta(0, 1000), answerMeta(500, 2000)]
  const second = [answerMeta(3_602_000, 3_603_000), answerMeta(3_602_500, 3_604_000)]
  const figures = figuresOf([...second, ...first])
  expect(figures).toMatchObject({ busyMs: 4000, from: 0, to: 3_604_000, rates: { requests: 1 } })
  expect(figures.pauses).toEqual([{ at: 2000, lasted: 3_600_000 }])
})

test('includes time in which work waits for a rate limit, though nothing is in flight', () => {
  const waited = answerMeta(9900, 10_000, { timing: { queueMs: 8000, retryWaitMs: 1900 }, attempts: 2 })
  const figures = figuresOf([waited])
  expect(figures).toMatchObject({ busyMs: 10_000, concurrency: { mean: 0.01, peak: 1 } })
  expect(figures.spread.endToEnd).toMatchObject({ p50: 10_000 })
  expect(figures.spread.latency).toMatchObject({ p50: 100 })
})

test('excludes the time without a process from rounds that were answered before a kill', () => {
  const resumed = answerMeta(8000, 10_000, { durationMs: 6000, timing: { queueMs: 0, earlierMs: 4000 } })
  const figures = figuresOf([resumed])
  expect(figures).toMatchObject({ from: 8000, busyMs: 2000, concurrency: { mean: 1 } })
  expect(figures.spread.latency).toMatchObject({ p50: 6000 })
})

test('counts answers that another run requested, but not their figures', () => {
  const usage = { inputTokens: 7, outputTokens: 7 }
  const figures = figuresOf([
    answerMeta(0, 100, { usage }),
    answerMeta(50, 9000, { usage, run: 'someone else' }),
    answerMeta(-500, -400, { usage }),
    { durationMs: 10, attempts: 1, answeredAt: -20 },
    { durationMs: 10, attempts: 1, answeredAt: 60 },
  ])
  expect(figures.answers).toEqual({ asked: 2, fromStore: 3, batch: 0 })
  expect(figures).toMatchObject({ busyMs: 100, tokens: { input: 7, output: 7, counted: 1 } })
})

test('counts reasoning as output and cached tokens as input, each once', () => {
  const usage = { inputTokens: 100, cachedTokens: 60, outputTokens: 50, reasoningTokens: 30 }
  const { tokens, rates } = figuresOf([answerMeta(0, 1000, { usage }), answerMeta(0, 1000)])
  expect(tokens).toEqual({ input: 100, cached: 60, output: 50, reasoning: 30, counted: 1 })
  expect(rates).toEqual({ requests: 2, inputTokens: 100, outputTokens: 50 })
})

test('counts attempts, retries and rate limits of answers and failures', () => {
  const figures = figuresOf(
    [answerMeta(0, 10), answerMeta(0, 10, { attempts: 4, timing: { throttled: 2 } })],
    [
      { class: 'rate_limited', message: '', attempts: 6 },
      { class: 'server', message: '', attempts: 3 },
      { class: 'budget', message: '', attempts: 0 },
    ],
  )
  expect(figures.attempts).toEqual({ sent: 14, retries: 10, throttled: 8 })
})

test('counts second copies as requests, not as retries, with separate tokens', () => {
  const usage = { inputTokens: 5, outputTokens: 6 }
  const figures = figuresOf([
    answerMeta(0, 10, { usage }),
    answerMeta(0, 10, { usage, attempts: 2, hedges: 2 }),
    answerMeta(0, 10, { usage, hedges: 1, isHedgeFirst: true }),
  ])
  expect(figures.attempts).toEqual({ sent: 7, retries: 1, throttled: 0 })
  expect(figures.hedges).toEqual({
    sent: 3,
    won: 1,
    tokens: { input: 15, output: 18, reasoning: 0, cached: 0, counted: 3 },
  })
  expect(figures.tokens).toMatchObject({ input: 15, output: 18 })
  expect(figuresOf([answerMeta(0, 10)])).not.toHaveProperty('hedges')
})

test('counts the tokens of a batch, but not its hours', () => {
  const usage = { inputTokens: 5, outputTokens: 6 }
  const figures = figuresOf([answerMeta(0, 100, { usage }), answerMeta(0, 7_200_000, { usage, batch: true })])
  expect(figures).toMatchObject({ busyMs: 100, answers: { asked: 2, batch: 1 }, tokens: { output: 6 } })
  expect(figures.batchTokens).toMatchObject({ input: 5, output: 6 })
  expect(figures.spread.latency).toMatchObject({ n: 1, max: 100 })
})

test('counts overlapping requests at each moment, with their peak', () => {
  const metas = [answerMeta(0, 400), answerMeta(100, 400), answerMeta(100, 300), answerMeta(300, 400)]
  const { concurrency, timeline } = figuresOf(metas)
  expect(concurrency).toEqual({ mean: 2.5, peak: 3 })
  expect(timeline.step).toBe(100)
  expect(timeline.concurrency).toEqual([1, 3, 3, 3])
})

test('has no speed without requests', () => {
  const figures = figuresOf([])
  expect(figures).toMatchObject({ busyMs: 0, rates: { requests: 0 }, concurrency: { mean: 0, peak: 0 }, spread: {} })
  expect(figures).not.toHaveProperty('from')
  expect(figures.timeline.concurrency).toEqual([])
})

test("answers faster than the clock's resolution have a finite speed", () => {
  const figures = figuresOf(Array.from({ length: 50 }, (_, index) => answerMeta(index / 10, index / 10)))
  expect(figures.rates.requests).toBeGreaterThan(0)
  expect(Number.isFinite(figures.rates.requests)).toBe(true)
})

const meta = fc
  .record({ from: fc.nat(100_000), lasts: fc.nat(5000), queueMs: fc.nat(3000) })
  .map(({ from, lasts, queueMs }) => answerMeta(from, from + lasts, { timing: { queueMs } }))

test('does not depend on the order of answers, and the timeline adds up to the totals', () => {
  fc.assert(
    fc.property(fc.array(meta, { minLength: 1, maxLength: 80 }), metas => {
      const figures = figuresOf(metas)
      expect(figuresOf([...metas].reverse())).toMatchObject({ ...figures, spread: expect.anything() as unknown })
      const { step, concurrency, requests } = figures.timeline
      const share = step / figures.busyMs
      const mean = concurrency.reduce((sum, value) => sum + value * share, 0)
      expect(Math.abs(mean - figures.concurrency.mean)).toBeLessThan(0.01 * (1 + mean))
      expect(Math.round(requests.reduce((sum, rate) => sum + (rate * step) / 1000, 0))).toBe(metas.length)
      expect(figures.concurrency.peak).toBeGreaterThanOrEqual(Math.floor(figures.concurrency.mean))
    }),
  )
})
