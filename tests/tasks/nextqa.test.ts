import { describe, expect, it } from 'vitest'
import { namesRightOption, questionWithOptions, video } from '../../tasks/nextqa/utils.js'

const doc = {
  video: 4010069381,
  question: ' what is written on the tin ',
  a0: 'oat flour',
  a1: 'oat',
  a2: 'flour',
  a3: 'RYE',
  a4: 'nothing at all',
  answer: 3,
  type: 'DO',
}
const scoreOf = (answer: string) => namesRightOption(doc, [answer])['exact_match']

describe('NExT-QA', () => {
  it('finds videos by number', () => {
    expect(video(doc)).toEqual(['NExTVideo/4010069381.mp4'])
  })

  it('asks with five options, and nothing behind them', () => {
    const asked = 'what is written on the tin\nA. oat flour\nB. oat\nC. flour\nD. RYE\nE. nothing at all'
    expect(questionWithOptions(doc, {})).toBe(asked)
  })

  it.each(['D', '(D)', 'D.', 'It is not (A), it is (D)', 'A or D ', 'I looked twice and it must be RYE in my view'])(
    'reads the right option out of %j',
    answer => {
      expect(scoreOf(answer)).toBe(1)
    },
  )

  it.each(['A', '(D) is wrong, so (B)'])('reads a wrong one out of %j', answer => {
    expect(scoreOf(answer)).toBe(0)
  })

  it.each(['', 'd', 'RYE', '\\boxed{D}'])('reads nothing out of %j, and draws no letter', answer => {
    expect(scoreOf(answer)).toMatchObject({ type: 'unparsed', value: 0 })
  })

  it('reads the end of a word as a letter where it is to be as lmms-eval', () => {
    const answer = 'I looked twice and it must be RYE in my view'
    expect(namesRightOption(doc, [answer], { parity: 'lmms-eval' })).toEqual({ exact_match: 0 })
  })

  it('names the field that is wrong', () => {
    expect(() => namesRightOption({ ...doc, a2: null }, ['D'])).toThrow('"a2"')
  })
})
