import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { analyseFirst, reasoningScores, thinkFirst } from '../../tasks/_shared/reasoning.js'
import * as mmbench from '../../tasks/mmbench/reasoning.js'
import * as mmmu from '../../tasks/mmmu/reasoning.js'
import * as mmmuPro from '../../tasks/mmmu_pro/reasoning.js'
import * as vstar from '../../tasks/vstar_bench/reasoning.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('reasoning')

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const image = { bytes: new Uint8Array([1]), path: null }
const wellFormed = '<think>Because.</think><answer>B</answer>'

describe('benchmark variants for models that reason first', () => {
  it("have the reference's instructions", () => {
    expect([analyseFirst, thinkFirst].map(sha256)).toEqual([
      'ab08fbc4ad03a4dc552e4a03c09c6b7b8eabf254a6e62c515fca8dece16e15e8',
      '5268212558997d71613440639d7a5b43de0b8ba9c211956de45d40720a8ab9ab',
    ])
  })

  it('score the answer in its tags, and the format', () => {
    expect(reasoningScores([wellFormed], 'B')).toEqual({ accuracy: 1, form: 1 })
    expect(reasoningScores([wellFormed, '<answer>A</answer>'], 'B')).toEqual({ accuracy: 0.5, form: 0.5 })
    expect(reasoningScores(['So it is \\boxed{\\frac{1}{2}}'], '0.5')).toEqual({ accuracy: 1, form: 1 })
  })

  it('are unparsed without an answer', () => {
    expect(reasoningScores(['I do not know'], 'B')).toMatchObject({ accuracy: { type: 'unparsed', value: 0 }, form: 0 })
  })

  it('include the hints of MMBench unless they are nan', () => {
    const doc = { hint: 'Look.', question: 'What?', A: 'a cat', B: 'a dog', C: 'nan', image }
    expect(mmbench.question(doc)).toBe('Look. What? \nA. a cat\nB. a dog')
    expect(mmbench.introducedQuestion({ ...doc, hint: 'nan' })).toBe(
      'What? There are several options:\nA. a cat\nB. a dog',
    )
  })

  it("insert MMMU's pictures at their placeholders", () => {
    const doc = { question: 'Of <image 1>?', options: "['x', 'y']", question_type: 'multiple-choice', image_1: image }
    const content = [
      { type: 'text', text: 'Of' },
      { type: 'image', image },
      { type: 'text', text: '?\nA. x\nB. y' },
    ]
    expect(mmmu.messages(doc)).toMatchObject([{ role: 'system' }, { role: 'user', content }])
    expect(mmmuPro.messages({ options: "['x', 'y']", image })).toMatchObject([
      { role: 'system' },
      { content: [{ type: 'image' }, { text: 'A. x\nB. y\n\nAnswer the question in the image.' }] },
    ])
  })

  it('score the categories of V*Bench separately', () => {
    expect(vstar.score({ label: 'b', category: 'relative_position' }, [wellFormed])).toEqual({
      vstar_overall_acc_score: 1,
      vstar_overall_format_score: 1,
      vstar_relative_position_acc_score: 1,
      vstar_relative_position_format_score: 1,
    })
  })
})
