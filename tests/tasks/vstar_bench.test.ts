import { describe, expect, it } from 'vitest'
import { question, score } from '../../tasks/vstar_bench/utils.js'

const doc = {
  text: 'What colour is the glove?\n(A) The glove is red. (B) The glove is dark blue.\n(C) green (D) black',
  label: 'B',
}

describe('the question of V*Bench', () => {
  it('has one option per line', () => {
    expect(question(doc, { post_prompt: '\nAnswer with the letter.' })).toBe(
      'What colour is the glove?\nA. The glove is red.\nB. The glove is dark blue.\nC. green\nD. black\nAnswer with the letter.',
    )
  })

  it('stays unchanged without options', () => {
    expect(question({ text: 'What is it? ' }, {})).toBe('What is it? ')
  })
})

describe('the score of V*Bench', () => {
  const named = ['B', '(B)', 'B. blue', 'b', '**B**', 'The answer is B.', 'The answer is B because A is wrong']
  it.each(named)('reads B from %j, also with parity', answer => {
    expect(score(doc, [answer])).toEqual({ vstar_overall_acc: 1 })
    expect(score(doc, [answer], { parity: 'lmms-eval' })).toEqual({ vstar_overall_acc: 1 })
  })

  it.each(['Answer: B', 'A is wrong, so B', String.raw`\boxed{B}`])('reads B from %j', answer => {
    expect(score(doc, [answer])).toEqual({ vstar_overall_acc: 1 })
  })

  it.each(['Answer: B', 'A is wrong, so B', 'A cat is blue'])('with parity, reads A from %j', answer => {
    expect(score(doc, [answer], { parity: 'lmms-eval' })).toEqual({ vstar_overall_acc: 0 })
  })

  it.each(['I think it is blue, the sky colour', 'A cat is blue', ''])('reads no letter from %j', answer => {
    expect(score(doc, [answer])).toMatchObject({ vstar_overall_acc: { type: 'unparsed', value: 0 } })
  })

  it('reports problems of a doc', () => {
    expect(() => score({ text: '' }, ['B'])).toThrow('"label"')
  })
})
