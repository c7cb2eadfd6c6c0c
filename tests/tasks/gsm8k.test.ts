import { describe, expect, it } from 'vitest'
import { openExamples } from '../../stages/input/examples.js'
import { makeRenderer } from '../../stages/input/render/renderer.js'
import { builtinTask } from '../support/builtin-task.js'
import { skipFewerExamples, testGoldenTask } from '../support/golden-task.js'

testGoldenTask('gsm8k', { skip: skipFewerExamples(['gsm8k/gsm8k_cot/prompt/default/1']) })

const doc = { question: 'Ann has 3 pears and buys 4. How many?', answer: 'Three and four.\n#### 7' }

describe('gsm8k_cot', () => {
  it('shows the eight solved problems of the task', async () => {
    const { task } = await builtinTask('gsm8k_cot')
    const choose = (await openExamples(task, {}, () => Promise.reject(new Error('no split is needed'))))?.()
    const rendered = makeRenderer(task, Object.keys(doc)).render(doc, choose?.(doc))
    if (rendered.type === 'failed') throw new Error(rendered.reason)
    const prompt = rendered.messages
      .flatMap(({ content }) => content)
      .map(part => (part.type === 'text' ? part.text : ''))
    const turns = prompt.join('').split('\n\n')
    expect(turns).toHaveLength(9)
    expect(turns[0]).toMatch(
      /^Q: There are 15 trees in the grove\. .*\nA: There are 15 trees originally\. .* The answer is 6\.$/,
    )
    expect(turns[8]).toBe('Q: Ann has 3 pears and buys 4. How many?\nA:')
  })
})

describe('gsm8k_cot_self_consistency', () => {
  it('scores the first answer, and the majority of 8 and of 64', async () => {
    const { task, score } = await builtinTask('gsm8k_cot_self_consistency')
    expect(task.config.repeats).toBe(64)
    const said = (number: number): string => `So it is. The answer is ${number}.`
    const answers = [
      said(5),
      ...Array<string>(4).fill(said(7)),
      ...Array<string>(3).fill(said(5)),
      ...Array<string>(56).fill(said(9)),
    ]
    expect((await score(doc, answers)).values).toEqual({
      'exact_match,score-first': 0,
      'exact_match,maj@64': 0,
      'exact_match,maj@8': 0,
    })
    const [, ...others] = answers
    expect((await score(doc, [said(7), ...others])).values).toMatchObject({
      'exact_match,score-first': 1,
      'exact_match,maj@64': 0,
      'exact_match,maj@8': 1,
    })
  })
})
