import { expect, test } from 'vitest'
import { isWildcard, wildcard } from '../../../base/text/wildcard.js'
import { goldenRows } from '../../support/golden.js'

interface Row {
  readonly kind: string
  readonly id: string
  readonly input: { readonly patterns: readonly string[]; readonly names: readonly string[] }
  readonly expected: readonly string[]
}

const rows = goldenRows<Row>('tasks/machinery.jsonl.gz').filter(({ kind }) => kind === 'pattern_match')

test(`patterns match the names that they match in the reference (${rows.length} rows)`, () => {
  const found = rows.map(({ input: { patterns, names } }) =>
    names.filter(name => patterns.some(pattern => wildcard(pattern).test(name))).sort(),
  )
  expect(found).toEqual(rows.map(({ expected }) => expected))
})

test('sets of letters may be denied, and a set that is not closed is text', () => {
  expect(wildcard('[!a-c]1').test('d1')).toBe(true)
  expect(wildcard('[!a-c]1').test('b1')).toBe(false)
  expect(wildcard('[]]').test(']')).toBe(true)
  expect(wildcard('[^a]').test('^')).toBe(true)
  expect(wildcard('a[').test('a[')).toBe(true)
  expect(wildcard('a.b\\').test('a.b\\')).toBe(true)
})

test('a name is a pattern only where it has a sign of one', () => {
  expect(['mme', 'm*', 'm?e', '[ab]', 'a[]'].map(isWildcard)).toEqual([false, true, true, true, false])
})

test('a pattern may hold dashes', () => {
  expect(wildcard('gpt-4o-*').test('gpt-4o-mini')).toBe(true)
})
