import { describe, expect, it } from 'vitest'
import { builtinTask } from '../support/builtin-task.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('mmstar')

describe('with parity', () => {
  testGoldenTask('mmstar', { parity: 'lmms-eval' })
})

it('reads the right letter of a doc without white space and in any case', async () => {
  const { score } = await builtinTask('mmstar')
  const doc = { index: 1, question: 'Which?', image: '', answer: ' b\n', category: 'math', l2_category: 'geometry' }
  expect((await score(doc, 'B')).values).toMatchObject({ average: { group: 'geometry', score: 1 } })
  expect((await score(doc, 'A')).values).toMatchObject({ average: { group: 'geometry', score: 0 } })
})
