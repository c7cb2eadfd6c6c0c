import { describe, expect, it } from 'vitest'
import { builtinTask } from '../support/builtin-task.js'
import { namesRightOption, questionWithOptions, roundedPercent, submission } from '../../tasks/mmau/utils.js'

const doc = {
  id: '7',
  question: 'What is heard?',
  choices: '["A bell", "A horn", "a drum"]',
  answer: 'a horn',
  task: 'sound',
  split: 'test-mini',
}
const scoreOf = (answer: string) => namesRightOption(doc, [answer])['accuracy']

describe('MMAU', () => {
  it('aggregates the percentage of right answers', async () => {
    const task = await builtinTask('mmau_test_mini')
    const whole = { ...doc, audio: 'a.wav' }
    expect(task.prompt(whole)).toMatch(/^<a.wav>What is heard\?\n[^]*choices directly\.$/)
    expect(task.target(whole)).toBe('a horn')
    const scores = [await task.score(whole, 'B'), await task.score(whole, 'A'), await task.score(whole, '?')]
    expect(scores.map(({ outcome }) => outcome)).toEqual(['scored', 'scored', 'unparsed'])
    expect(task.aggregates(scores)).toEqual({ accuracy: 33.33333 })
  })

  it('lists options that are given as a text', () => {
    expect(questionWithOptions(doc, { pre_prompt: '', post_prompt: '\nAnswer.' })).toBe(
      'What is heard?\nA. A bell\nB. A horn\nC. a drum\nAnswer.',
    )
  })

  it.each(['B', '(B)', 'B.', 'B. horn', 'It is B', '(B), not A', 'A is wrong, so B'])(
    'reads the right option from %j',
    answer => {
      expect(scoreOf(answer)).toBe(1)
    },
  )

  it.each(['', 'b', 'a horn', 'B)', 'D', 'Answer:B'])('reads no option from %j, and does not guess', answer => {
    expect(scoreOf(answer)).toMatchObject({ type: 'unparsed', value: 0 })
  })

  it('rounds the percentage to five places', () => {
    expect(roundedPercent([1, 0, 1])).toBe(66.66667)
  })

  it('submits the text of the option with the fields that identify the question', () => {
    expect(submission({ ...doc, audio: { bytes: null } }, ['C'])).toEqual({
      submission: {
        id: '7',
        question: 'What is heard?',
        choices: '["A bell", "A horn", "a drum"]',
        task: 'sound',
        split: 'test-mini',
        model_prediction: 'a drum',
      },
    })
  })

  it('names an invalid field', () => {
    expect(() => namesRightOption({ ...doc, choices: 'A bell' }, ['B'])).toThrow('"choices"')
  })
})
