import { testGoldenTask } from '../support/golden-task.js'

interface Read {
  readonly task_type: string
  readonly pred_answer: string
  readonly answer: string
}

testGoldenTask('mlvu', {
  values: {
    mlvu_percetion_score: ({ task_type: group, pred_answer: named, answer }: Read) => ({
      group,
      score: Number(named === answer),
    }),
  },
})
