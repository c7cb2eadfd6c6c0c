import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseList } from '../../../base/python/written-list.js'

test('reads a list as JSON and as Python prints it', () => {
  expect(parseList('["a", 1, null]')).toEqual(['a', 1, null])
  expect(parseList(`['it\\'s', "b", -1.5, None, True, ['x']]`)).toEqual(["it's", 'b', -1.5, null, true, ['x']])
  expect(parseList("('a', 'b',)")).toEqual(['a', 'b'])
})

test('reads escapes as Python does', () => {
  expect(parseList(String.raw`['a\\b', 'a\nb', '\xe9', '\u20ac', '\U0001f600', '\d']`)).toEqual([
    String.raw`a\b`,
    'a\nb',
    'é',
    '€',
    '😀',
    String.raw`\d`,
  ])
})

test('reads no list from other texts', () => {
  for (const text of ['a', '', '[unquoted words]', "['open", "['a'] and more", '[1] [2]'])
    expect(parseList(text)).toBeUndefined()
})

test('reads any JSON list unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), list => {
      expect(parseList(JSON.stringify(list))).toEqual(JSON.parse(JSON.stringify(list)))
    }),
  )
})
