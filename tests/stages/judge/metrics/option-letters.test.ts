import { expect, test } from 'vitest'
import { optionLetter, optionLetters } from '../../../../stages/judge/metrics/option-letter.js'
import { valueOf, verdictOf } from '../../../support/judged-value.js'

const choices = ['red', 'green', 'blue', 'yellow']

test.each([
  'AC',
  'A, C',
  'A and C',
  'A和C',
  '(A), (C)',
  'The correct answers are A and C.',
  'Answers: A, C',
  'The answer is AC.',
  '答案是AC。',
  '正确答案：A、C',
  'Die Antworten sind A und C.',
  '\\boxed{A, C}',
  '\\boxed{A} and \\boxed{C}',
  '<answer>A, C</answer>',
  '{"answer": ["A", "C"]}',
  'A: True\nB: False\nC: True\nD: False',
  'Both A and C are right.',
  'A. red ✓\nB. green ✗\nC. blue ✓\nD. yellow ✗',
  'A and C, but not B.',
])('%j names A and C', answer => {
  expect(valueOf(optionLetters, answer, { target: ['A', 'C'], choices })).toBe(1)
  expect(valueOf(optionLetters, answer, { target: 'AC', choices })).toBe(1)
  expect(valueOf(optionLetters, answer, { target: 'ACD', choices, args: { score: 'f1' } })).toBe(0.8)
})

test('takes a target of letters, indexes or texts', () => {
  for (const target of ['AC', 'A,C', 'A, C', 'C;A', ['A', 'C'], [0, 2], ['red', 'blue'], ['AC']])
    expect([target, valueOf(optionLetters, 'A, C', { target, choices })]).toEqual([target, 1])
  expect(valueOf(optionLetters, 'B', { target: 'B', choices })).toBe(1)
  expect(valueOf(optionLetters, 'A', { target: 'AC', choices })).toBe(0)
  expect(valueOf(optionLetters, 'A, B, C', { target: 'AC', choices })).toBe(0)
})

test('an answer that names no option is unparsed', () => {
  for (const answer of ['', 'I do not know.', 'None of these.'])
    expect(verdictOf(optionLetters, answer, { target: 'AC', choices })).toMatchObject({ type: 'unparsed', value: 0 })
})

test('the target is read first, whatever the answer says', () => {
  for (const answer of ['A', 'AC', '', 'no idea']) {
    expect(() => valueOf(optionLetter, answer, { target: 'AC', choices })).toThrow(
      'the target "AC" is none of the options. option_letters compares several right options',
    )
    expect(() => valueOf(optionLetter, answer, { target: 'E', choices })).toThrow(
      'the target "E" is none of the options',
    )
    expect(() => valueOf(optionLetters, answer, { target: 'AE', choices })).toThrow('names no options from A to D')
  }
})
