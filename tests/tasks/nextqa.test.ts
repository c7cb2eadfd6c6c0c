import { describe, expect, it } from 'vitest'
import { docList } from '../../stages/input/datasets/dataset.js'
import { answers, namesRightOption, questionWithOptions, withKind } from '../../tasks/nextqa/utils.js'
import { builtinTask } from '../support/builtin-task.js'

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
  it('sends the video, and aggregates the share of right answers', async () => {
    const task = await builtinTask('nextqa_mc_test')
    const whole = { ...doc, question_kind: 'descriptive' }
    expect(task.prompt(whole)).toBe(`<NExTVideo/4010069381.mp4>${questionWithOptions(doc, {})}`)
    expect(task.target(whole)).toBe(3)
    const scores = [await task.score(whole, 'D'), await task.score(whole, 'A'), await task.score(whole, '?')]
    expect(scores.map(({ outcome }) => outcome)).toEqual(['scored', 'scored', 'unparsed'])
    expect(task.aggregates(scores)).toEqual({ exact_match: 1 / 3 })
  })

  it('the first letter of the type is the kind of a question', async () => {
    const types = ['CW', 'TN', 'TP', 'DO', undefined]
    async function* docs(): AsyncGenerator<Record<string, unknown>> {
      yield* await Promise.resolve(types.map(type => ({ type })))
    }
    const kinds: unknown[] = []
    for await (const each of withKind(docList(docs()))) kinds.push(each['question_kind'])
    expect(kinds).toEqual(['causal', 'temporal', 'temporal', 'descriptive', null])
  })

  it('lists five options at the end of the prompt', () => {
    const asked = 'what is written on the tin\nA. oat flour\nB. oat\nC. flour\nD. RYE\nE. nothing at all'
    expect(questionWithOptions(doc, {})).toBe(asked)
  })

  it.each(['D', '(D)', 'D.', 'It is not (A), it is (D)', 'A or D ', 'I looked twice and it must be RYE in my view'])(
    'reads the right option from %j',
    answer => {
      expect(scoreOf(answer)).toBe(1)
    },
  )

  it.each(['A', '(D) is wrong, so (B)'])('reads a wrong option from %j', answer => {
    expect(scoreOf(answer)).toBe(0)
  })

  it.each(['', 'd', 'RYE', '\\boxed{D}'])('reads no option from %j, and does not guess', answer => {
    expect(scoreOf(answer)).toMatchObject({ type: 'unparsed', value: 0 })
  })

  it('with parity, reads the end of a word as a letter', () => {
    const answer = 'I looked twice and it must be RYE in my view'
    expect(namesRightOption(doc, [answer], { parity: 'lmms-eval' })).toEqual({ exact_match: 0 })
  })

  it('names an invalid field', () => {
    expect(() => namesRightOption({ ...doc, a2: null }, ['D'])).toThrow('"a2"')
  })
})

describe('open-ended NExT-QA', () => {
  const asked = {
    video: 2435100235,
    question: ' why did the boy clap ',
    answer: 'performing',
    additional_ref_answer: 'to the music',
    type: 'CW',
    question_kind: 'causal',
  }

  it.each(['nextqa_oe_test', 'nextqa_oe_val'])('sends the video and asks for a short phrase, %s', async name => {
    const task = await builtinTask(name)
    const prompt = '<NExTVideo/2435100235.mp4>why did the boy clap\nAnswer a question using a short phrase or sentence.'
    expect(task.prompt(asked)).toBe(prompt)
    expect(task.target(asked)).toEqual(['performing', 'to the music'])
  })

  it('has the answer of one person if there is no other', () => {
    for (const other of [null, '', undefined]) {
      expect(answers({ ...asked, additional_ref_answer: other })).toEqual(['performing'])
    }
    expect(() => answers({ ...asked, answer: null })).toThrow('"answer"')
  })
})
