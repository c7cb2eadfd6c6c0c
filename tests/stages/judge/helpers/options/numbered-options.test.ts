import { expect, test } from 'vitest'
import { readOption } from '../../../../../stages/judge/helpers/options/read-option.js'

const letterOf = (text: string, choices: readonly string[]): string | undefined => {
  const found = readOption(text, { count: choices.length, choices })
  return found.type === 'letter' ? found.letter : undefined
}
const colours = ['red', 'green', 'blue', 'grey']

test.each([
  'Option 2',
  'choice 2 is correct',
  '(2)',
  'the second option',
  '选项2',
  '第二个',
  '두 번째',
  '2番目',
  'die zweite Option',
])('reads %j as the second option', answer => {
  expect(letterOf(answer, colours)).toBe('B')
})

test.each([
  '2',
  'The answer is 2.',
  'There are two (2) cars.',
  'Option 2 shows a dog.',
  'Option 2 or 3',
  'the second-to-last option',
  'In the second picture',
])('reads no option from %j', answer => {
  expect(letterOf(answer, colours)).toBeUndefined()
})

test.each([
  ['Option 2', ['2 cats', '3 cats', '4 cats']],
  ['(2)', ['two', 'three', 'four']],
  ['the last option', ['the first', 'the last but one', 'neither']],
])('reads no number of an option from %j if the choices hold such numbers: %j', (answer, choices) => {
  expect(letterOf(answer, choices)).toBeUndefined()
})

test('takes no option whose number is denied, and none that does not exist', () => {
  expect(letterOf('It is not the second option but the third option.', colours)).toBe('C')
  expect(letterOf('The second option is wrong.', colours)).toBeUndefined()
  expect(letterOf('Option 5', colours)).toBeUndefined()
})

test.each([
  ['The answer is A. Wait, actually, it is B.', 'B'],
  ['My answer is A. Correction: C', 'C'],
  ['| A | ❌ |\n| B | ✅ |\n| C | ❌ |', 'B'],
  ['B. The car is green, not red (A) or blue (C).', 'B'],
  ['A. red (B) green (C) blue', undefined],
  ['A ✅\nB ✅\nC ❌', undefined],
])('%j names %s', (answer, letter) => {
  expect(letterOf(answer, colours)).toBe(letter)
})
