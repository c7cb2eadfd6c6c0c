import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { DigestCounts } from '../../../base/collections/digest-counts.js'

const digest = (value: number): string => `sha256:${createHash('sha256').update(String(value)).digest('hex')}`

test('counts each digest separately while the table grows', () => {
  const counts = new DigestCounts()
  const numbers = Array.from({ length: 20_000 }, (_, n) => n)
  expect(numbers.map(n => counts.add(digest(n), 1))).toEqual(numbers.map(() => 0))
  expect(numbers.map(n => counts.add(digest(n), 3))).toEqual(numbers.map(() => 1))
  expect(numbers.map(n => counts.add(digest(n), 1))).toEqual(numbers.map(() => 4))
})

test('counts a digest of zeros and a digest without its prefix', () => {
  const counts = new DigestCounts()
  expect([counts.add(`sha256:${'0'.repeat(64)}`, 2), counts.add('0'.repeat(64), 1)]).toEqual([0, 2])
})
