import { expect, test } from 'vitest'
import { readOption } from '../../../../../stages/judge/helpers/options/read-option.js'

const colours = ['red', 'green', 'blue', 'grey']

function read(text: string): string | undefined {
  const found = readOption(text, { count: 4, choices: colours })
  return found.type === 'letter' ? found.letter : undefined
}

test.each([
  'The answer is A. Sorry, I meant C.',
  'The answer is A. Oh, I meant C.',
  'The answer is A. I meant to choose C.',
  'The answer is A. Nope, C.',
  'The answer is A. My bad, it is C.',
  'A. No wait, I misread: C.',
  'Die Antwort ist A. Ich meine C.',
  'Die Antwort ist A. Moment, nein: C.',
])('reads the option that takes an earlier one back: %s', answer => {
  expect(read(answer)).toBe('C')
})

test.each(['The answer is A. What I meant: C is wrong.', 'Die Antwort ist A, doch C ist nicht falsch geschrieben.'])(
  'keeps the option beside words that take nothing back: %s',
  answer => {
    expect(read(answer)).toBe('A')
  },
)
