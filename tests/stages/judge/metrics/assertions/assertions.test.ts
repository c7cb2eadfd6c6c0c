import { refusal } from '../../../../../stages/judge/metrics/assertions/refusal.js'
import { expect, test } from 'vitest'
import {
  containsAll,
  containsAny,
  jsonField,
  jsonSchema,
  length,
  regex,
} from '../../../../../stages/judge/metrics/assertions/assertions.js'
import type { MetricDefinition, MetricInput } from '../../../../../stages/judge/define/define-metric.js'

/** The value of an answer, and the reason why a condition does not hold. */
async function judge(metric: MetricDefinition, text: string, args: object = {}): Promise<unknown> {
  const verdict = await metric.judge({ text } as MetricInput, metric.args.parse(args))
  if (verdict.type !== 'scored') return verdict
  const { reason } = (verdict.details ?? {}) as { readonly reason?: string }
  return reason === undefined ? verdict.value : [verdict.value, reason]
}

test('matches whole words and names the missing ones', async () => {
  expect(await judge(containsAny, 'A red ball', { words: ['red', 'blue'] })).toBe(1)
  expect(await judge(containsAny, 'A redder ball', { words: ['red', 'blue'] })).toEqual([
    0,
    'it contains none of red, blue',
  ])
  expect(await judge(containsAll, 'Red ball', { words: ['red', 'ball', 'box'], ignore_case: true })).toEqual([
    0,
    'it does not contain box',
  ])
  expect(await judge(containsAll, '红色的球', { words: ['红色', '球'] })).toBe(1)
})

test('a pattern may match anywhere, on every call', async () => {
  for (let time = 0; time < 2; time++) expect(await judge(regex, 'id: A-17', { pattern: '[A-Z]-\\d+$' })).toBe(1)
  expect(await judge(regex, 'id: 17', { pattern: '[A-Z]-\\d+' })).toEqual([0, 'the pattern matches nowhere'])
  expect(() => regex.args.parse({ pattern: '(' })).toThrow('not a regular expression')
})

test('counts a length in characters or words', async () => {
  expect(await judge(length, '🙂🙂', { max: 2 })).toBe(1)
  expect(await judge(length, 'one two', { min: 3, unit: 'words' })).toEqual([
    0,
    'it has 2 words, and at least 3 are wanted',
  ])
  expect(await judge(length, 'abc', { max: 2 })).toEqual([0, 'it has 3 characters, and at most 2 are wanted'])
  expect(() => length.args.parse({ min: 3, max: 2 })).toThrow('below')
})

test('checks JSON against its schema, also in a fence', async () => {
  const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }
  expect(await judge(jsonSchema, '```json\n{"total": 3}\n```', { schema })).toBe(1)
  expect(await judge(jsonSchema, 'The total is 3.', { schema })).toEqual([0, 'it is no JSON'])
  expect(await judge(jsonSchema, '{}', { schema })).toEqual([0, expect.stringContaining('total') as string])
})

test('a JSON field equals, contains, or lies within bounds', async () => {
  const answer = '{"items": [{"price": 12.5, "name": "red ball"}]}'
  expect(await judge(jsonField, answer, { path: 'items.0.price', min: 10, max: 20 })).toBe(1)
  expect(await judge(jsonField, answer, { path: 'items.0.price', equals: 12.5 })).toBe(1)
  expect(await judge(jsonField, answer, { path: 'items.0.name', contains: 'ball' })).toBe(1)
  expect(await judge(jsonField, answer, { path: 'items.0.price', max: 10 })).toEqual([
    0,
    'items.0.price is 12.5, which is not between −∞ and 10',
  ])
  expect(await judge(jsonField, answer, { path: 'items.1.price', min: 0 })).toEqual([
    0,
    'it has no field items.1.price',
  ])
  expect(await judge(jsonField, '{"__proto__": 1}', { path: 'constructor', equals: 1 })).toEqual([
    0,
    'it has no field constructor',
  ])
  expect(() => jsonField.args.parse({ path: 'a' })).toThrow('give `equals`')
})

test('finds a refusal only at the beginning of an answer', async () => {
  expect(await judge(refusal, 'I’m sorry, but I can’t help with identifying people.')).toEqual([
    1,
    'it says "I can’t help"',
  ])
  expect(await judge(refusal, 'As an AI language model, I have no eyes.')).toEqual([
    1,
    expect.stringContaining('As an AI') as string,
  ])
  expect(await judge(refusal, 'The sign says: sorry, we are closed.')).toBe(0)
  expect(await judge(refusal, `${'A long answer. '.repeat(30)}I can’t help it.`)).toBe(0)
})
