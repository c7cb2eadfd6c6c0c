import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, type Json, isList, isObject } from '../../../base/values/canonical-json.js'

const sortedKeys = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** Names that are not array indexes, because an object lists indexes first. */
const name = fc.string().filter(text => !/^\d+$/.test(text) && text !== '__proto__')
const value = fc.letrec<{ any: Json }>(tie => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(name, tie('any'), { maxKeys: 4 }),
  ),
})).any

test('equals the JSON of the value with sorted keys', () => {
  fc.assert(
    fc.property(value, any => {
      expect(canonicalJson(any)).toBe(JSON.stringify(any, sortedKeys))
    }),
  )
})

test('sorts keys by code unit, and leaves out keys without a value', () => {
  expect(canonicalJson({ b: 1, a: [null, true, ''], ä: {}, B: undefined, '10': [], '9': 'x' })).toBe(
    '{"10":[],"9":"x","a":[null,true,""],"b":1,"ä":{}}',
  )
})

test('writes equal numbers as the same text', () => {
  expect(canonicalJson([1.0, -0, 1e21, 0.1])).toBe('[1,0,1e+21,0.1]')
})

test('rejects a number that has no JSON text', () => {
  for (const number of [Number.NaN, Infinity, -Infinity]) expect(() => canonicalJson({ number })).toThrow(TypeError)
})

test('recognizes neither null nor a list as an object', () => {
  const values = [{}, { a: 1 }, [], ['a'], null, undefined, 'a', 1, true]
  expect(values.filter(value => isObject(value))).toEqual([{}, { a: 1 }])
  expect(values.filter(value => isList(value))).toEqual([[], ['a']])
})
