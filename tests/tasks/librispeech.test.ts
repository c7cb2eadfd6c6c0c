import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('librispeech')
