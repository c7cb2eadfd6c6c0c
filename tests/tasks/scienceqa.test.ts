import { describe } from 'vitest'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('scienceqa')

describe('with parity', () => {
  testGoldenTask('scienceqa', { parity: 'lmms-eval' })
})
