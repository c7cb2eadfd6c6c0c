import { expect, test } from 'vitest'
import { ModelUsage, type RunUsage, type UsageIncrease } from '../../../../src/service/jobs/model-usage.js'

const usage = (given: Partial<RunUsage>): RunUsage => ({
  run: 'r1',
  model: 'openai m',
  answered: 0,
  failed: {},
  inputTokens: 0,
  outputTokens: 0,
  ...given,
})

function counted(usages: readonly RunUsage[]): readonly UsageIncrease[] {
  const increases: UsageIncrease[] = []
  const counter = new ModelUsage()
  counter.subscribe(increase => void increases.push(increase))
  for (const one of usages) counter.add(one)
  return increases
}

test('counts a run once that several jobs worked on', () => {
  const first = usage({ answered: 3, failed: { refused: 2 }, inputTokens: 30, outputTokens: 9 })
  expect(counted([first, usage({ answered: 5, failed: {}, inputTokens: 50, outputTokens: 9 })])).toEqual([
    { model: 'openai m', kind: 'answered', by: 3 },
    { model: 'openai m', kind: 'failed', of: 'refused', by: 2 },
    { model: 'openai m', kind: 'input', by: 30 },
    { model: 'openai m', kind: 'output', by: 9 },
    { model: 'openai m', kind: 'answered', by: 2 },
    { model: 'openai m', kind: 'input', by: 20 },
  ])
})

test('counts models beyond the maximum number together', () => {
  const increases = counted(
    Array.from({ length: 300 }, (_, number) => usage({ run: `r${number}`, model: `m${number}`, answered: 1 })),
  )
  expect(new Set(increases.map(({ model }) => model)).size).toBe(201)
  expect(increases.filter(({ model }) => model === 'other')).toHaveLength(100)
})
