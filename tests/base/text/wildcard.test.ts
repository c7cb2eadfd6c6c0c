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

test('sets of characters may be negated, and an unclosed bracket is text', () => {
  expect(wildcard('[!a-c]1').test('d1')).toBe(true)
  expect(wildcard('[!a-c]1').test('b1')).toBe(false)
  expect(wildcard('[]]').test(']')).toBe(true)
  expect(wildcard('[^a]').test('^')).toBe(true)
  expect(wildcard('a[').test('a[')).toBe(true)
  expect(wildcard('a.b\\').test('a.b\\')).toBe(true)
})

test('treats a name as a pattern only if it contains a wildcard', () => {
  expect(['mme', 'm*', 'm?e', '[ab]', 'a[]'].map(isWildcard)).toEqual([false, true, true, true, false])
})

test('a pattern may contain dashes', () => {
  expect(wildcard('gpt-4o-*').test('gpt-4o-mini')).toBe(true)
})

test('an empty range matches nothing, as in Python', () => {
  expect(wildcard('[z-a]').test('b')).toBe(false)
  expect(wildcard('[!z-a]').test('b')).toBe(true)
  expect(wildcard('[z-a_]').test('_')).toBe(true)
})

test('matches a pattern with many stars in little time', () => {
  expect(wildcard('*a**b*').test('xaab')).toBe(true)
  expect(wildcard('*ab*ab').test('ab')).toBe(false)
  expect(wildcard('a*a').test('a')).toBe(false)
  const began = performance.now()
  for (const pattern of ['*?'.repeat(50) + '!', '*a'.repeat(50) + '!', '*'.repeat(300) + '!'])
    expect(wildcard(pattern).test('a'.repeat(200))).toBe(false)
  expect(performance.now() - began).toBeLessThan(5000)
})

test.each([
  ['mmlu_*', true],
  ['mmlu_?', true],
  ['mmlu_[ab]', true],
  ['[[a]', true],
  ['[][a]', true],
  ['mmlu', false],
  ['a]b[c', false],
  ['[]', false],
  ['['.repeat(200_000), false],
])('recognizes whether %s is a pattern: %s', (name, isPattern) => {
  expect(isWildcard(name)).toBe(isPattern)
})
