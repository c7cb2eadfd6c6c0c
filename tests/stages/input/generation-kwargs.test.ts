import { expect, test } from 'vitest'
import { readGeneration, unknownKwargs, withDefaults } from '../../../stages/input/generation-kwargs.js'

test('a text for until becomes a list, and null is ignored', () => {
  expect(readGeneration({ until: ';', temperature: null, max_new_tokens: 4, top_p: 0 })).toEqual({
    generation: { until: [';'], max_new_tokens: 4, top_p: 0 },
    problems: [],
  })
})

test('names kwargs of a wrong type or with a misspelt name', () => {
  expect(readGeneration({ until: 3, max_new_tokens: 'abc', max_new_tokns: 3, max_gen_tok: 5 }).problems).toEqual([
    { name: 'until', text: 'expected a text or a list of texts, given the number 3' },
    { name: 'max_new_tokens', text: 'expected a whole number, 1 or more, given the text "abc"' },
    { name: 'max_new_tokns', text: 'no such argument. Did you mean "max_new_tokens"?' },
    { name: 'max_gen_tok', text: 'no such argument. Did you mean "max_gen_toks"?' },
  ])
})

test('passes on kwargs that only some servers know', () => {
  const given = { min_p: 0.1, presence_penalty: 1, frequency_penalty: 1, top_a: 2, best_of: 2 }
  expect(readGeneration(given)).toEqual({ generation: given, problems: [] })
})

test.each(['max_gen_toks', 'max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_new_tokens'])(
  'accepts %s as a name of max_new_tokens',
  name => {
    expect(readGeneration({ [name]: '64' })).toEqual({ generation: { max_new_tokens: 64 }, problems: [] })
    expect(readGeneration({ [name]: 0 }).problems).toEqual([
      { name, text: 'expected a whole number, 1 or more, given the number 0' },
    ])
    expect(withDefaults({ [name]: 64, until: 'x' }, null)).toEqual({ max_new_tokens: 64, until: ['x'] })
  },
)

test('two names of one argument may have the same value, and are rejected if they differ', () => {
  expect(readGeneration({ max_gen_toks: 8, max_tokens: 8, stop: 'a', until: ['a'] })).toEqual({
    generation: { max_new_tokens: 8, until: ['a'] },
    problems: [],
  })
  expect(readGeneration({ max_gen_toks: 8, max_tokens: 9 }).problems).toEqual([
    { name: 'max_tokens', text: 'max_gen_toks says the same with another value; give one of them' },
  ])
})

test('names an unknown generation argument of a task file', () => {
  expect(unknownKwargs({ min_p: 0.1, patch_size: 16, use_cache: true, max_gen_toks: 2, visual_cot: null })).toEqual([])
  const text = 'this argument is not known here, and is sent to the model as it is.'
  expect(unknownKwargs({ presence_penalti: 1, zzzzzzzz: 1, constructor: 1 })).toEqual([
    { name: 'presence_penalti', text: `${text} Did you mean "presence_penalty"?` },
    { name: 'zzzzzzzz', text },
    { name: 'constructor', text: expect.stringContaining(text) as string },
  ])
})

test.each([
  [{ api_key: 'sk-1' }, 'api_key'],
  [{ extra_body: { api_key: 'sk-1' } }, 'extra_body.api_key'],
  [{ extra_body: { auth: [{ Authorization: 'Bearer sk-1' }] } }, 'extra_body.auth[0].Authorization'],
])('rejects a secret by name, without its value: %o', (given, name) => {
  const { generation, problems } = readGeneration({ top_p: 1, ...given })
  expect(generation).toEqual({ top_p: 1 })
  expect(problems).toEqual([{ name, text: expect.stringContaining('its name is that of a secret') as string }])
  expect(JSON.stringify(problems)).not.toContain('sk-1')
})

test('accepts schemas with such names, and tokens of a vocabulary', () => {
  const given = { guided_json: { properties: { token: { type: 'string' } } }, eos_token: '</s>', stop_token_ids: [1] }
  expect(readGeneration(given)).toEqual({ generation: given, problems: [] })
})

test.each(['n', 'num_return_sequences', 'candidate_count'])('rejects %s above 1', name => {
  const text = 'one answer is read of each request, and all would be paid for. Ask for several answers with repeats'
  expect(readGeneration({ [name]: 2 }).problems).toEqual([{ name, text }])
  expect(readGeneration({ [name]: 1 }).problems).toEqual([])
})
