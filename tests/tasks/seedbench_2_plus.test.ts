import { describe, expect, it } from 'vitest'
import { question, score } from '../../tasks/seedbench_2_plus/utils.js'

const doc = {
  ...{ question: 'Which bar is the tallest?', choice_A: 'rye', choice_B: 'oats', choice_C: 'b.png', choice_D: 'none' },
  ...{ answer: 'B', question_image_type: 'chart', question_id: 7 },
}

describe('SEED-Bench-2-Plus', () => {
  it('lists the options, and pictures by their placeholder', () => {
    expect(question(doc, { img_token: '<image>', post_prompt: 'Answer with the letter.' })).toBe(
      'Which bar is the tallest?\nA. rye\nB. oats\nC. <image>\nD. none\nAnswer with the letter.',
    )
  })

  it.each([
    ['b', 1],
    [' B. oats', 1],
    ['A', 0],
    ['Answer: B', 1],
    ['The answer is B', 1],
    ['**B**', 1],
    ['Based on the bars, C', 0],
  ])('scores the option in %j', (answer, value) => {
    expect(score(doc, [answer])).toEqual({ seedbench_2_plus_Chart: value, seedbench_2_plus_all: value })
  })

  it.each([
    ['Both', 1],
    ['Answer: B', 0],
  ])('with parity, scores %j by its first character', (answer, value) => {
    expect(score(doc, [answer], { parity: 'lmms-eval' })).toMatchObject({ seedbench_2_plus_all: value })
  })

  it.each(['', 'Both', 'It is not B'])('reads no option from %j', answer => {
    expect(score(doc, [answer])).toMatchObject({ seedbench_2_plus_all: { type: 'unparsed', value: 0 } })
  })

  it('reports problems of a doc', () => {
    expect(() => score({ answer: 'B' }, ['B'])).toThrow('"question_image_type"')
  })
})
