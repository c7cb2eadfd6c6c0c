import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('gsm8k')
