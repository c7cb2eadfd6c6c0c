import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('blink', {
  values: { blink_acc: ({ is_correct: isRight }: { is_correct: boolean }) => Number(isRight) },
})
