import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('textvqa', { target: ({ doc }) => doc['answers'] })
