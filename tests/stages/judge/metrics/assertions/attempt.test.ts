import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineTask, evaluate, judge, metrics, mockModel, rows } from '../../../../../src/index.js'
import { addAttempts, makeScoredAttempt } from '../../../../../stages/judge/define/scored-attempt.js'
import type { MetricInput } from '../../../../../stages/judge/define/define-metric.js'
import { cost, latency } from '../../../../../stages/judge/metrics/assertions/attempt.js'
import { temporaryFolder } from '../../../../support/store.js'

const seen = (attempt: MetricInput['attempt']): MetricInput =>
  ({ text: '', ...(attempt && { attempt }) }) as MetricInput

test('a value equal to the limit passes, and a larger one is reported with its value', () => {
  expect(latency.judge(seen({ seconds: 2 }), { max: 2 })).toEqual({ type: 'scored', value: 1 })
  expect(latency.judge(seen({ seconds: 2.3456 }), { max: 2 })).toMatchObject({
    ...{ value: 0, details: { reason: '2.35 seconds, and at most 2 are wanted' } },
  })
  expect(cost.judge(seen({ cost: 0.0123 }), { max: 0.01 })).toMatchObject({
    ...{ value: 0, details: { reason: '0.0123 dollars, and at most 0.01 are wanted' } },
  })
})

test('an unknown value is unparsed, with its reason', () => {
  const reason = (metric: typeof cost, attempt: MetricInput['attempt']) => metric.judge(seen(attempt), { max: 1 })
  expect(reason(latency, {})).toMatchObject({ type: 'unparsed', reason: 'the duration of the attempt is unknown' })
  expect(reason(cost, { inputTokens: 1 })).toMatchObject({ reason: 'the server did not count the tokens' })
  expect(reason(cost, { inputTokens: 1, outputTokens: 1 })).toMatchObject({
    reason: 'the price of the model is unknown',
  })
})

test('computes cost from tokens and price, and adds up the attempts of choices', () => {
  const price = { input: 1, output: 10, batch: 0.5 }
  const facts = { inputTokens: 1_000_000, outputTokens: 100_000 }
  expect(makeScoredAttempt(facts, price).cost).toBe(2)
  expect(makeScoredAttempt({ ...facts, isBatch: true }, price).cost).toBe(1)
  expect(addAttempts([{ seconds: 1, cost: 2 }, { seconds: 3 }])).toMatchObject({ seconds: 4, cost: undefined })
})

test('stored answers keep their latency and cost, also for custom metrics', async () => {
  const folder = await temporaryFolder()
  const [store, prices] = [join(folder, 'store'), join(folder, 'prices.yaml')]
  await writeFile(prices, 'mock: {mock: {input: 1000, output: 1000}}\n')
  const usage = { inputTokens: 10, outputTokens: 5 }
  const model = mockModel({
    reply: ({ text }) => ({ text, usage: text === 'b' ? { ...usage, inputTokens: 1 } : usage }),
  })
  const task = defineTask({
    ...{
      name: 'timed',
      module: import.meta.url,
      dataset: rows([{ q: 'a' }, { q: 'b' }]),
      prompt: ({ q }: { q: string }) => q,
    },
    scoreAttempts: ['latency'],
    metrics: {
      fast: metrics.latency({ max: 60 }),
      cheap: metrics.cost({ max: 0.01 }),
      own: ({ attempt }) => (attempt?.seconds ?? 0) > 0,
    },
  })
  const first = await evaluate({ store, model, tasks: [task], prices })
  expect(first.of(task).metrics).toMatchObject({ fast: { value: 1 }, cheap: { value: 0.5 }, own: { value: 1 } })
  const samples = []
  for await (const sample of first.samples()) samples.push(sample)
  expect(samples.map(({ extracted }) => extracted['cheap'])).toEqual([
    ...[{ reason: '0.015 dollars, and at most 0.01 are wanted' }, undefined],
  ])
  const again = await evaluate({ store, model, tasks: [task], prices, newRun: true })
  expect(again.of(task).metrics).toMatchObject({ cheap: { value: 0.5 } })
  expect(model.calls).toHaveLength(2)
  expect((await judge(again.run.name, { store, tasks: [task] })).judgement?.aggregates).toHaveLength(3)
  await expect(evaluate({ store, model, tasks: [task] })).rejects.toThrow('the price of mock (mock) is not known')
})
