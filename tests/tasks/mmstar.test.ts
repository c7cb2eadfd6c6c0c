import { describe } from 'vitest'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('mmstar')

describe('with parity', () => {
  testGoldenTask('mmstar', { parity: 'lmms-eval' })
})
