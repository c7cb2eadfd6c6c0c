import { describe, expect, it } from 'vitest'
import { score } from '../../tasks/mmmu_pro/utils.js'
import { testGoldenTask, type TaskRow } from '../support/golden-task.js'

interface Reference {
  readonly answer: string
  readonly parsed_pred: string
}

/** "Answer:D", and two answers that end with the letter. The benchmark's script reads them, as in the standard form of the task. */
const readable = ['1/8', '3/9', '6/8'].map(place => `mmmu_pro/mmmu_pro_vision/score/${place}`)

const values = { mmmu_acc: ({ answer, parsed_pred: letter }: Reference) => Number(letter === answer) }

testGoldenTask('mmmu_pro', {
  values,
  right: ({ right }: TaskRow) => ({ mmmu_acc: right?.['score'] }),
  skip: ({ id }) => (readable.includes(id) ? "the benchmark's script reads them" : undefined),
})

describe('with parity', () => {
  testGoldenTask('mmmu_pro', { values, parity: 'lmms-eval' })
})

describe('the score of MMMU-Pro', () => {
  const doc = { options: "['red', 'teal', 'ochre']", answer: 'B' }

  it('uses the letter after the last "Answer:"', () => {
    expect(score(doc, ['(A) is wrong. Answer: A\nNo.\nAnswer: B'], {})).toEqual({ mmmu_acc: 1 })
  })

  it('uses the whole answer if there is no single letter', () => {
    expect(score(doc, ['(C). Answer: A or B'], {})).toEqual({ mmmu_acc: 0 })
    expect(score(doc, ['(B). Answer: teal'], {})).toEqual({ mmmu_acc: 1 })
  })

  it('reads no letter from an empty answer', () => {
    expect(score(doc, ['?'], {})).toMatchObject({ mmmu_acc: { type: 'unparsed', value: 0 } })
  })
})
