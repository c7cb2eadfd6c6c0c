import { expect, test } from 'vitest'
import { likeliest } from '../../tasks/_shared/options.js'
import { chosenScore as egoschemaScore } from '../../tasks/egoschema/utils.js'
import { chosenSubmission } from '../../tasks/perceptiontest/utils.js'

const results = [
  [-1, true],
  [-5, false],
  [-2, false],
]

test('takes the likeliest option, and with the parity of lmms-eval the one that it takes', () => {
  expect(likeliest(results)).toBe(0)
  expect(likeliest(results, { parity: 'lmms-eval' })).toBe(1)
  expect(egoschemaScore({ answer: '0' }, results)).toEqual({ score: 1 })
  expect(egoschemaScore({ answer: '0' }, results, { parity: 'lmms-eval' })).toEqual({ score: 0 })
  const doc = { video_name: 'v', question: 'q', question_id: 1 }
  expect(chosenSubmission(doc, results, { parity: 'lmms-eval' })).toMatchObject({ submission: { pred_id: 1 } })
})
