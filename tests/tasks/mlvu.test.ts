import { describe, expect, test } from 'vitest'
import { meanOfDevTypes, meanOfTestTypes } from '../../tasks/mlvu/utils.js'
import { testGoldenTask, type GoldenTaskOptions } from '../support/golden-task.js'

interface Read {
  readonly task_type: string
  readonly pred_answer: string
  readonly answer: string
}

const options: GoldenTaskOptions = {
  values: {
    mlvu_percetion_score: ({ task_type: group, pred_answer: named, answer }: Read) => ({
      group,
      score: Number(named === answer),
    }),
  },
}

testGoldenTask('mlvu', options)

describe('with parity', () => {
  testGoldenTask('mlvu', { ...options, parity: 'lmms-eval' })
})

const asked = [
  { group: 'count', score: 1 },
  { group: 'count', score: 0 },
  { group: 'ego', score: 1 },
]

test.each([
  [meanOfDevTypes, 7],
  [meanOfTestTypes, 9],
])('means over types leave out absent ones, which with parity count as 0', (mean, types) => {
  expect(mean(asked, {})).toBe(75)
  expect(mean(asked, { parity: 'lmms-eval' })).toBeCloseTo(150 / types, 12)
})
