import { describe, expect, it } from 'vitest'
import { readLetter } from '../../tasks/gpqa/openai.js'
import { testGoldenTask } from '../support/golden-task.js'

/** simple-evals count an answer without a letter as wrong. */
const takenForA = 'lmms-eval takes an answer without a letter for A'

testGoldenTask('gpqa', {
  values: { extracted_answers: (letters: readonly string[], row) => (row.responses[0] === '' ? [null] : letters) },
  skip: ({ kind, task, responses, expected }) => {
    const isUnread = kind === 'score' && task === 'gpqa_diamond_openai' && responses[0] === ''
    return isUnread && JSON.stringify(expected).includes('"exact_match":1') ? takenForA : undefined
  },
})

describe('the letter of an answer', () => {
  it.each([
    ['a box before what stands behind Answer:', 'Answer: C, so \\boxed{B}', 'B'],
    ['a box with a space, up to the dollar', 'so $\\boxed D$', 'D'],
    ['what stands behind Answer:, in any case', 'ANSWER : c', 'C'],
    ['the turn that is marked as the answer', '<|im_start|>think\nAnswer: A<|im_start|>answer\nAnswer: D', 'D'],
    ['the last turn without its name', 'Answer: A<|im_start|>final\nB', 'B'],
    ['a bare letter', 'd', 'D'],
    ['nothing where more than a letter stands there', 'Answer: (B)', null],
    ['nothing where the last box does not close', '\\boxed{A} \\boxed{B', null],
    ['nothing of an empty answer', '', null],
  ])('is %s', (_, answer, letter) => {
    expect(readLetter(answer)).toBe(letter)
  })
})
