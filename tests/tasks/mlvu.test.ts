import { describe } from 'vitest'
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
