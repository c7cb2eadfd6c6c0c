import { expect, test } from 'vitest'
import { z } from 'zod'
import { mistakeLines } from '../../../base/errors/schema-mistakes.js'

const lines = (schema: z.ZodType, value: unknown, wording = {}): readonly string[] =>
  mistakeLines(schema.safeParse(value).error?.issues ?? [], value, { whole: 'the value', ...wording })

test.each<readonly [z.ZodType, unknown, string]>([
  [z.array(z.string()).min(1), [], 'the value: expected a list of at least 1 entry, given an empty list'],
  [z.array(z.string()).length(2), ['a'], 'the value: expected a list of exactly 2 entries, given a list'],
  [z.string().max(2), 'abc', 'the value: expected a text of at most 2 characters, given the text "abc"'],
  [z.number().min(3), 2, 'the value: expected a number of at least 3, given the number 2'],
  [z.number().positive(), 0, 'the value: expected a number of more than 0, given the number 0'],
  [z.number(), Number.NaN, 'the value: expected a number, given the number NaN'],
  [z.int(), 1.5, 'the value: expected a whole number, given the number 1.5'],
  [z.number().multipleOf(4), 5, 'the value: expected a multiple of 4, given the number 5'],
  [z.string(), 5, 'the value: expected a text, given the number 5'],
  [z.number(), 'x'.repeat(201), 'the value: expected a number, given a text of 201 characters'],
  [z.string(), null, 'the value: expected a text, given nothing (null)'],
  [z.boolean(), 'yes', 'the value: expected true or false, given the text "yes"'],
  [z.tuple([z.string()]), 'a', 'the value: expected a list, given the text "a"'],
  [z.object({ a: z.string() }), {}, 'a: is missing: expected a text'],
  [z.object({ a: z.array(z.string()) }), { a: ['x', 5] }, 'a.1: expected a text, given the number 5'],
  [
    z.enum(['auto', 'sync']),
    'snyc',
    'the value: expected one of auto, sync, given the text "snyc". Did you mean "sync"?',
  ],
  [z.literal('a'), 3, 'the value: expected "a", given the number 3'],
  [z.url(), 'x', 'the value: expected an http or https address, given the text "x"'],
  [z.string().regex(/^a/), 'x', 'the value: expected a text of another form, given the text "x"'],
  [z.string().startsWith('a'), 'x', 'the value: expected a text that begins with "a", given the text "x"'],
  [z.record(z.string().min(2), z.string()), { b: 'x' }, 'b: its name: expected a text of at least 2 characters'],
  [z.union([z.string(), z.number()]), true, 'the value: expected a text or a number, given true'],
  [z.union([z.string(), z.array(z.string())]), ['a', 3], '1: expected a text, given the number 3'],
  [
    z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]),
    { type: 'c' },
    'type: expected another kind of entry, given the text "c"',
  ],
  [z.custom(() => false), {}, 'the value: expected another value, given keys and values'],
  [z.string({ error: 'say it in words' }), 5, 'the value: say it in words'],
  [z.string('expected a name'), 5, 'the value: expected a name, given the number 5'],
])('words a mistake plainly: %#', (schema, value, text) => {
  expect(lines(schema, value)[0]).toContain(text)
  expect(lines(schema, value).join()).not.toMatch(/Invalid|Too (big|small)|Unrecognized|received|undefined|[<>]=/)
})

test('an error names an unknown key at any depth, with the nearest known name', () => {
  const schema = z.strictObject({ limit: z.int(), inner: z.strictObject({ tokens: z.int() }).optional() })
  expect(lines(schema, { limt: 3, limit: 3, inner: { token: 1, tokens: 1 } }, { known: ['limit', 'tokens'] })).toEqual([
    'inner.token: no such key. Did you mean "tokens"?',
    'limt: no such key. Did you mean "limit"?',
  ])
})

test('shows only the type of a value that may be secret, and calls a table an object in JSON', () => {
  const schema = z.object({ a: z.number(), b: z.record(z.string(), z.string()), c: z.number() })
  expect(lines(schema, { a: 'sk-1', b: 'sk-2', c: {} }, { from: 'json', isHidden: () => true })).toEqual([
    'a: expected a number, given a text',
    'b: expected an object, given a text',
    'c: expected a number, given an object',
  ])
})

test('leaves out the value of a field whose name suggests a secret', () => {
  const schema = z.object({ data: z.object({ token: z.boolean(), code_key: z.enum(['files']), apiKey: z.number() }) })
  expect(lines(schema, { data: { token: 'hf_hidden', code_key: 'fils', apiKey: 'sk-hidden' } })).toEqual([
    'data.token: expected true or false, given a text',
    'data.code_key: expected "files", given the text "fils". Did you mean "files"?',
    'data.apiKey: expected a number, given a text',
  ])
})

test('a hidden text that is refused is not said to be what was expected', () => {
  const schema = z.object({ name: z.string().min(1).describe('a text') })
  const { error } = schema.safeParse({ name: '' })
  const wording = { isHidden: () => true, expected: () => 'a text', whole: 'the request' }
  expect(mistakeLines(error?.issues ?? [], { name: '' }, wording)).toEqual([
    'name: expected a text, given an empty text',
  ])
  const long = z.object({ name: z.string().max(2) }).safeParse({ name: 'abc' })
  expect(mistakeLines(long.error?.issues ?? [], { name: 'abc' }, wording)).toEqual([
    'name: expected a text of at most 2 characters, given a text',
  ])
})
