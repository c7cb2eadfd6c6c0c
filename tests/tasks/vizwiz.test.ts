import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('vizwiz', { target: ({ doc }) => doc['answers'] })
