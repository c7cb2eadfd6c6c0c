import { expect, test } from 'vitest'
import type { Judgement, Run } from '../../../../cache/records.js'
import type { Store } from '../../../../cache/store.js'
import { findHeldTargets, type HeldTargets } from '../../../../src/reading/samples/held-target.js'

interface Answered {
  readonly text: string
  readonly target: string
  readonly value: number
}

/** Finds held targets in a store that holds one scored task of these answers. */
function find(answers: readonly Answered[], metric = 'exact_match', value = 0.1): Promise<HeldTargets | undefined> {
  const samples = answers.map(({ text, target, value: score }) => ({
    task: 0,
    record: { target },
    score: { outcome: 'scored', values: { [metric]: score }, extracted: { none: text } },
  }))
  const store = { judgements: { samples: () => samples } } as unknown as Store
  const run = { asked: { tasks: [{ name: 'sums' }] } } as unknown as Run
  return findHeldTargets(store, run, { aggregates: [{ task: 'sums', metric, value }] } as unknown as Judgement)
}

const sentences = (count: number): readonly Answered[] =>
  Array.from({ length: count }, (_, index) => ({ text: `It is ${index}.`, target: String(index), value: 0 }))

test('counts wrong answers that hold the target as a word, whatever its case', async () => {
  const others = [
    { text: 'PARIS, of course', target: 'Paris', value: 0 },
    { text: 'Parisian', target: 'Paris', value: 0 },
    { text: 'Lima', target: 'Paris', value: 0 },
    { text: 'Paris', target: 'Paris', value: 1 },
  ]
  expect(await find([...sentences(5), ...others])).toEqual({ task: 'sums', wrong: 8, held: 6 })
})

test('finds nothing in few answers, in mostly wrong ones, at a high score, or for another metric', async () => {
  const wrong = sentences(6).map(answer => ({ ...answer, text: 'nothing' }))
  expect(await find(sentences(4))).toBeUndefined()
  expect(await find([...sentences(6), ...wrong])).toBeUndefined()
  expect(await find(sentences(9), 'exact_match', 0.6)).toBeUndefined()
  expect(await find(sentences(9), 'anls')).toBeUndefined()
})
