import { expect, test } from 'vitest'
import { optionLetter } from '../../../../stages/judge/metrics/option-letter.js'
import { verdictOf } from '../../../support/judged-value.js'

const judge = (answer: string, target: string, choices = ['-5', '5', '7', '9']) =>
  verdictOf(optionLetter, answer, { target, choices })

test('an answer that only excludes options is unparsed and counts 0', () => {
  expect(judge('The answer is not B.', 'B')).toEqual({
    type: 'unparsed',
    value: 0,
    reason: 'the answer names no option',
  })
})

test('matches the choice whose text has the same sign', () => {
  expect(judge('5', 'B')).toEqual({ type: 'scored', value: 1 })
  expect(judge('5', 'A')).toEqual({ type: 'scored', value: 0 })
  expect(judge('−5', 'A')).toEqual({ type: 'scored', value: 1 })
})
