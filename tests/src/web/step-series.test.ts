import { describe, expect, test } from 'vitest'
import type { RunRow } from '../../../src/present/page/data/index.js'
import { findStep, listStepCharts } from '../../../src/web/pages/steps/step-series.js'

const makeRun = (about: Partial<RunRow>, value = 0.5): RunRow =>
  ({
    name: 'a-run',
    created: '2026-01-01T00:00:00Z',
    model: 'openai m',
    tags: [],
    scores: [{ task: 't', metric: 'acc', filter: 'none', value, interval: [value - 0.1, value + 0.1], n: 10 }],
    ...about,
  }) as unknown as RunRow

const listPoints = (runs: readonly RunRow[], by: 'model' | 'tags' | 'none') =>
  listStepCharts(runs, by).map(({ lines }) =>
    lines.map(({ name, points }) => [name, points.map(({ step, value }) => [step, value])]),
  )

describe('a step', () => {
  test.each([
    ['step:1000', 1000],
    ['Step 2k', 2000],
    ['global_step1500', 1500],
    ['vllm /runs/step-3/checkpoint-500', 500],
    ['iter_1.5m', 1_500_000],
    ['my run, epoch=3', 3],
  ])('is found in "%s"', (text, step) => {
    expect(findStep(text)?.step).toBe(step)
  })

  test.each(['baseline', 'stepwise 3', 'qwen2-7b', 'footstep 3', 'step:abc'])('is not found in "%s"', text => {
    expect(findStep(text)).toBeUndefined()
  })
})

describe('lines of scores', () => {
  test('group models without their step, in order of steps', () => {
    const runs = ['c/step-20', 'c/step-3', 'd/step-3'].map((model, number) => makeRun({ model }, number / 10))
    expect(listPoints(runs, 'model')).toEqual([
      [
        [
          'c/…',
          [
            [3, 0.1],
            [20, 0],
          ],
        ],
        ['d/…', [[3, 0.2]]],
      ],
    ])
  })

  test('prefer the tag, group by other tags, and take the newest of runs with the same step', () => {
    const runs = [
      makeRun({ tags: ['lr high', 'step:5'], created: '2026-01-03T00:00:00Z' }, 0.3),
      makeRun({ tags: ['lr high', 'step:5'], created: '2026-01-02T00:00:00Z' }, 0.2),
      makeRun({ tags: ['step:7'], title: 'step 9' }, 0.1),
      makeRun({ tags: ['other'] }),
    ]
    expect(listPoints(runs, 'tags')).toEqual([
      [
        ['no other tag', [[7, 0.1]]],
        ['lr high', [[5, 0.3]]],
      ],
    ])
    expect(listPoints(runs, 'none')).toEqual([
      [
        [
          '',
          [
            [5, 0.3],
            [7, 0.1],
          ],
        ],
      ],
    ])
  })
})
