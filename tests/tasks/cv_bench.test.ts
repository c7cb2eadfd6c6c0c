import { describe, expect, it } from 'vitest'
import { score } from '../../tasks/cv_bench/utils.js'
import { testGoldenTask } from '../support/golden-task.js'

describe('with parity', () => {
  testGoldenTask('cv_bench', {
    parity: 'lmms-eval',
    values: { cv_bench_acc: ({ is_correct: isRight }: { is_correct: boolean }) => Number(isRight) },
  })
})

it('scores the letter in an answer, under its own name', () => {
  const doc = { choices: ['1', '2', '3', '4'], answer: '(B)' }
  expect(score(doc, ['Final Answer: B'])).toEqual({ cv_bench_acc: 1 })
  expect(score(doc, ['C'])).toEqual({ cv_bench_acc: 0 })
})
