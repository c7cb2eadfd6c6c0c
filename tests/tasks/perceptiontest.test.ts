import { testGoldenTask } from '../support/golden-task.js'

interface Read {
  readonly pred_id: number
  readonly answer_id: string
}

testGoldenTask('perceptiontest', {
  values: { accuracy: ({ pred_id: named, answer_id: right }: Read) => Number(String(named) === right) },
})
