import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('openai_math', {
  skip: row => (row.kind === 'score' ? 'the reference scores nothing without a judge of its own' : undefined),
})
