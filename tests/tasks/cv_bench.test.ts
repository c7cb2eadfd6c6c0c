import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('cv_bench', {
  values: { cv_bench_acc: ({ is_correct: isRight }: { is_correct: boolean }) => Number(isRight) },
})
