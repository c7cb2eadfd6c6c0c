import { expect, test } from 'vitest'
import { addCount, countItems } from '../../../base/collections/counts.js'

test('counts items in the order of their first occurrence', () => {
  expect([...countItems(['b', 'a', 'b'])]).toEqual([
    ['b', 2],
    ['a', 1],
  ])
})

test('a count grows by one or by the given amount', () => {
  const counts = new Map([['a', 2]])
  addCount(counts, 'a')
  addCount(counts, 'b', 0.5)
  expect(Object.fromEntries(counts)).toEqual({ a: 3, b: 0.5 })
})
