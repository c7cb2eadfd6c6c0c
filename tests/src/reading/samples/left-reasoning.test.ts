import { expect, test } from 'vitest'
import type { Run } from '../../../../cache/records.js'
import type { Sample } from '../../../../cache/store.js'
import { countLeftReasoning, type LeftReasoning } from '../../../../src/reading/samples/left-reasoning.js'

function find(texts: readonly string[]): LeftReasoning | undefined {
  const counter = countLeftReasoning({ asked: { tasks: [{ name: 'colours' }] } } as unknown as Run)
  for (const text of texts) counter.add({ task: 0, score: { extracted: { none: text } } } as unknown as Sample)
  return counter.find()
}

test('counts scored texts that begin with marks of reasoning', () => {
  expect(find(['<inner_thoughts>C?</inner_thoughts>A', 'A', 'B'])).toEqual({ task: 'colours', answers: 3, marked: 1 })
  expect(find(['A', 'I think it is B'])).toBeUndefined()
})

test('looks at the first 50 answers only', () => {
  const texts = Array.from({ length: 60 }, (_, i) => (i < 50 ? 'A' : '<scratchpad>C'))
  expect(find(texts)).toBeUndefined()
})
