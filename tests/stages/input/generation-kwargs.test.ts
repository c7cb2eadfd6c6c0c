import { expect, test } from 'vitest'
import { readGeneration, unknownKwargs, withDefaults } from '../../../stages/input/generation-kwargs.js'

test('a text for until is a list of one, and null says nothing', () => {
  expect(readGeneration({ until: ';', temperature: null, max_new_tokens: 4, top_p: 0 })).toEqual({
    generation: { until: [';'], max_new_tokens: 4, top_p: 0 },
    problems: [],
  })
})

test('what is of the wrong type or misspelt is told by name', () => {
  expect(readGeneration({ until: 3, max_new_tokens: 'abc', max_new_tokns: 3, max_gen_tok: 5 }).problems).toEqual([
    { name: 'until', text: 'expected a text or a list of texts, given 3' },
    { name: 'max_new_tokens', text: 'expected a whole number, 1 or more, given "abc"' },
    { name: 'max_new_tokns', text: 'no such argument. Did you mean "max_new_tokens"?' },
    { name: 'max_gen_tok', text: 'no such argument. Did you mean "max_gen_toks"?' },
  ])
})

test('what only some servers know is passed on as it is', () => {
  const given = { min_p: 0.1, presence_penalty: 1, frequency_penalty: 1, top_a: 2, best_of: 2 }
  expect(readGeneration(given)).toEqual({ generation: given, problems: [] })
})

test.each(['max_gen_toks', 'max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_new_tokens'])(
  'the longest answer is one thing, also as %s',
  name => {
    expect(readGeneration({ [name]: '64' })).toEqual({ generation: { max_new_tokens: 64 }, problems: [] })
    expect(readGeneration({ [name]: 0 }).problems).toEqual([
      { name, text: 'expected a whole number, 1 or more, given 0' },
    ])
    expect(withDefaults({ [name]: 64, until: 'x' }, null)).toEqual({ max_new_tokens: 64, until: ['x'] })
  },
)

test('two names of one argument may say the same, and are refused where they differ', () => {
  expect(readGeneration({ max_gen_toks: 8, max_tokens: 8, stop: 'a', until: ['a'] })).toEqual({
    generation: { max_new_tokens: 8, until: ['a'] },
    problems: [],
  })
  expect(readGeneration({ max_gen_toks: 8, max_tokens: 9 }).problems).toEqual([
    { name: 'max_tokens', text: 'max_gen_toks says the same with another value; give one of them' },
  ])
})

test('an argument of a task file that nobody knows is told by its name', () => {
  expect(unknownKwargs({ min_p: 0.1, patch_size: 16, use_cache: true, max_gen_toks: 2, visual_cot: null })).toEqual([])
  const text = 'this argument is not known here, and is sent to the model as it is.'
  expect(unknownKwargs({ presence_penalti: 1, zzzzzzzz: 1, constructor: 1 })).toEqual([
    { name: 'presence_penalti', text: `${text} Did you mean "presence_penalty"?` },
    { name: 'zzzzzzzz', text },
    { name: 'constructor', text: expect.stringContaining(text) as string },
  ])
})
