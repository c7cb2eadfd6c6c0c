import { expect, test } from 'vitest'
import { readGeneration } from '../../../stages/input/generation-kwargs.js'

test('a text for until is a list of one, and null says nothing', () => {
  expect(readGeneration({ until: ';', temperature: null, max_new_tokens: 4, top_p: 0 })).toEqual({
    generation: { until: [';'], max_new_tokens: 4, top_p: 0 },
    problems: [],
  })
})

test('what is of the wrong type or misspelt is told by name', () => {
  expect(readGeneration({ until: 3, max_new_tokens: 'abc', max_new_tokns: 3, max_tokens: 5 }).problems).toEqual([
    { name: 'until', text: 'expected a text or a list of texts, given 3' },
    { name: 'max_new_tokens', text: 'expected a whole number, 1 or more, given "abc"' },
    { name: 'max_new_tokns', text: 'no such argument. Did you mean "max_new_tokens"?' },
    { name: 'max_tokens', text: 'no such argument. Did you mean "max_new_tokens"?' },
  ])
})

test('what only some servers know is passed on as it is', () => {
  const given = { min_p: 0.1, presence_penalty: 1, frequency_penalty: 1, top_a: 2, best_of: 2 }
  expect(readGeneration(given)).toEqual({ generation: given, problems: [] })
})
