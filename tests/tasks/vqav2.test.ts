import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('vqav2', {
  target: ({ doc }) => (doc['answers'] as readonly { readonly answer: string }[]).map(({ answer }) => answer),
})
