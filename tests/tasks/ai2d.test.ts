import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('ai2d')
