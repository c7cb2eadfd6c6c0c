import { expect, it } from 'vitest'
import type { JsonObject, ScoreBody } from '../../../../cache/records.js'
import { answeredDoc, recordOf } from '../../../support/judged.js'
import { makeScorer } from '../../../support/scorer.js'

const metrics = [
  { metric: 'instruction_following' },
  { metric: 'instruction_following', name: 'loosely', loose: true },
  { metric: 'instruction_accuracy' },
]

const scorerOf = (own: JsonObject = {}) =>
  makeScorer({
    task: 'own',
    outputType: 'generate_until',
    config: { metric_list: metrics.map(entry => ({ ...entry, ...own })) },
    scorerCode: { files: {} },
  })

const doc = {
  instruction_id_list: ['punctuation:no_comma', 'length_constraints:number_words'],
  kwargs: [{ num_words: null }, { num_words: 3, relation: 'at least' }],
}

const score = async (text: string, record: JsonObject, own?: JsonObject): Promise<ScoreBody> =>
  scorerOf(own).score(answeredDoc(recordOf(null, { doc: record }), [text]))

it('scores an answer by the instructions of its doc, and the aggregate by all instructions', async () => {
  const bodies = [
    await score('one two three', doc),
    await score('Sure, here:\none two three', doc),
    await score('a, b', doc),
  ]
  expect(bodies.map(({ values }) => values)).toEqual([
    { instruction_following: 1, loosely: 1, instruction_accuracy: { followed: 2, given: 2 } },
    { instruction_following: 0, loosely: 1, instruction_accuracy: { followed: 1, given: 2 } },
    { instruction_following: 0, loosely: 0, instruction_accuracy: { followed: 0, given: 2 } },
  ])
  const aggregates = scorerOf().aggregate(bodies, { docs: 3 })
  expect(aggregates.map(({ metric, value }) => [metric, value])).toEqual([
    ['instruction_following', 1 / 3],
    ['loosely', 2 / 3],
    ['instruction_accuracy', 0.5],
  ])
})

it('reads the named fields, and names a field of a wrong form', async () => {
  const other = { rules: ['punctuation:no_comma'], given: [{}] }
  const names = { instructions: 'rules', arguments: 'given' }
  expect((await score('a b', other, names)).values['instruction_following']).toBe(1)
  expect((await score('a b', { ...other, given: 'x' }, names)).reason).toContain('"given" must be a list, not "x"')
  expect((await score('a b', { ...other, given: [] }, names)).reason).toContain('"given" must be a list of objects')
})
