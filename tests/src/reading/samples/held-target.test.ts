import { expect, test } from 'vitest'
import type { Judgement, Run } from '../../../../cache/records.js'
import type { Sample } from '../../../../cache/store.js'
import { countHeldTargets, type HeldTargets } from '../../../../src/reading/samples/held-target.js'

interface Answered {
  readonly text: string
  readonly target: string
  readonly value: number
}

/** Finds held targets in the samples of one scored task with these answers. */
function find(answers: readonly Answered[], metric = 'exact_match', value = 0.1): HeldTargets | undefined {
  const samples = answers.map(({ text, target, value: score }) => ({
    task: 0,
    record: { target },
    score: { outcome: 'scored', values: { [metric]: score }, extracted: { none: text } },
  }))
  const run = { asked: { tasks: [{ name: 'sums' }] } } as unknown as Run
  const counter = countHeldTargets(run, { aggregates: [{ task: 'sums', metric, value }] } as unknown as Judgement)
  for (const sample of samples) counter.add(sample as unknown as Sample)
  return counter.find()
}

const sentences = (count: number): readonly Answered[] =>
  Array.from({ length: count }, (_, index) => ({ text: `It is ${index}.`, target: String(index), value: 0 }))

test('counts wrong answers that hold the target as a word, whatever its case', () => {
  const others = [
    { text: 'PARIS, of course', target: 'Paris', value: 0 },
    { text: 'Parisian', target: 'Paris', value: 0 },
    { text: 'Lima', target: 'Paris', value: 0 },
    { text: 'Paris', target: 'Paris', value: 1 },
  ]
  expect(find([...sentences(5), ...others])).toEqual({ task: 'sums', wrong: 8, held: 6 })
})

test('finds nothing in few answers, in mostly wrong ones, at a high score, or for another metric', () => {
  const wrong = sentences(6).map(answer => ({ ...answer, text: 'nothing' }))
  expect(find(sentences(4))).toBeUndefined()
  expect(find([...sentences(6), ...wrong])).toBeUndefined()
  expect(find(sentences(9), 'exact_match', 0.6)).toBeUndefined()
  expect(find(sentences(9), 'anls')).toBeUndefined()
})
