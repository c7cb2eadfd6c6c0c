import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('mathvision', {
  values: { mathvision_standard_eval: ({ scores }: { readonly scores: readonly boolean[] }) => Number(scores[0]) },
})
