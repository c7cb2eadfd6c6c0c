import { describe, expect, it } from 'vitest'
import { score } from '../../tasks/blink/utils.js'
import { testGoldenTask } from '../support/golden-task.js'

describe('with parity', () => {
  testGoldenTask('blink', {
    parity: 'lmms-eval',
    values: { blink_acc: ({ is_correct: isRight }: { is_correct: boolean }) => Number(isRight) },
  })
})

const doc = { choices: ['1', '2', '3', '4'], answer: '(B)' }
const valueOf = (answer: string, context = {}): unknown => score(doc, [answer], context)['blink_acc']

it.each([
  ['B', 1],
  ['(b)', 1],
  ['B. 2', 1],
  ['Answer: B', 1],
  ['Final Answer: B', 1],
  ['The dots lie below. The correct answer is (B).', 1],
  ['答案是B', 1],
  ['C', 0],
  ['Based on the picture, the answer is (A).', 0],
  ['By far the best one is C', 0],
])('scores the option in %j', (answer, value) => {
  expect(valueOf(answer)).toBe(value)
})

it.each(['', 'Both', 'Because it is red', 'A cat is there', 'The answer is not B'])('finds no option in %j', answer => {
  expect(valueOf(answer)).toMatchObject({ type: 'unparsed', value: 0 })
})

it('with parity, takes the first letter of the answer', () => {
  expect(['Both', 'Answer: B', 'Based on it, A'].map(one => valueOf(one, { parity: 'lmms-eval' }))).toEqual([1, 0, 1])
})
