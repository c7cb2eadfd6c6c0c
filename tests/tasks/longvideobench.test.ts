import { testGoldenTask } from '../support/golden-task.js'

interface Read {
  readonly parsed_pred: string
  readonly answer: string
}

testGoldenTask('longvideobench', {
  values: { lvb_acc: ({ parsed_pred: named, answer }: Read) => Number(named === answer) },
})
