import fc from 'fast-check'
import { expect, test } from 'vitest'
import { optionLetterOf } from '../../../../stages/judge/metrics/option-letter.js'

const letterOf = (text: string, choices: readonly string[] = [], count = 4): string | undefined => {
  const found = optionLetterOf(text, { count, choices })
  return found.type === 'letter' ? found.letter : undefined
}

test.each([
  ['B', 'B'],
  ['b', 'B'],
  ['(b)', 'B'],
  ['**B**', 'B'],
  ["'B'.", 'B'],
  ['B. blue', 'B'],
  ['(B) blue', 'B'],
  ['B: blue', 'B'],
  ['C\n', 'C'],
  ['Answer: B', 'B'],
  ['ANSWER: C', 'C'],
  ['The answer is B.', 'B'],
  ['The Answer Is C', 'C'],
  ['answer is: **C**', 'C'],
  ['The answer is B because A is wrong', 'B'],
  ['A is wrong, so B', 'B'],
  ['Option (B) rather than (A)', 'B'],
  ['The correct option is: (D).', 'D'],
  ['The answer is\n\nB', 'B'],
  ['My answer is C. Not D.', 'C'],
  ['C is correct\nA is not', 'C'],
  ['答案是B', 'B'],
  ['答えはAです', 'A'],
  ['답: C', 'C'],
  ['$\\boxed{D}$', 'D'],
  ['\\boxed{\\text{(C)}}', 'C'],
  ['The answer is A. Wait, the answer is B.', 'B'],
  ['So, C', 'C'],
  ['1. A', 'A'],
])('%j names %s', (text, letter) => {
  expect(letterOf(text)).toBe(letter)
})

test.each([
  '',
  'I cannot tell',
  '(E)',
  'F.',
  'Both B and C',
  'A B C D',
  '(A)(B)',
  'choices A or B',
  'A red ball lies there',
  'see MAP now',
  'Because',
  'None of the above',
  'The answer is A or B',
  'i pick A over B',
  'After careful thought it must be green',
  'The answer is not A',
])('%j names no option', text => {
  expect(letterOf(text)).toBeUndefined()
})

test('the words of a choice stand for it, the longest where one holds another', () => {
  const choices = ['red', 'dark red', 'blue', 'A']
  expect(letterOf('Dark red!', choices)).toBe('B')
  expect(letterOf('it is dark red', choices)).toBe('B')
  expect(letterOf('it is red or blue', choices)).toBeUndefined()
  expect(letterOf('infrared', choices)).toBeUndefined()
})

test('no letter comes out that is not one of the options', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.integer({ min: 2, max: 26 }), (text, count) => {
      const letter = letterOf(text, [], count)
      return letter === undefined || (letter.length === 1 && letter.charCodeAt(0) - 65 < count)
    }),
  )
})
