import { describe } from 'vitest'
import { testGoldenTask, type TaskRow } from '../support/golden-task.js'

interface Reference {
  readonly answer: string
  readonly question_type: string
  readonly parsed_pred: readonly string[]
}

/** Right open answers are marked as flaws of the reference, so that all remaining ones are wrong. */
const isRight = ({ answer, question_type: type, parsed_pred: letters }: Reference): number =>
  Number(type === 'multiple-choice' && letters.includes(answer))

const options = {
  values: { mmmu_acc: isRight },
  right: ({ right }: TaskRow) => ({ mmmu_acc: right?.['score'] }),
  skip: ({ id }: TaskRow) =>
    id === 'mmmu_val/mmmu_val/messages/default/6'
      ? 'loses the options behind a picture that is named twice'
      : undefined,
}

testGoldenTask('mmmu_val', options)

describe('with parity', () => {
  testGoldenTask('mmmu_val', { ...options, parity: 'lmms-eval' })
})
