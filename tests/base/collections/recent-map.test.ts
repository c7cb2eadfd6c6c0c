import { expect, test } from 'vitest'
import { RecentMap, RecentResults } from '../../../base/collections/recent-map.js'

test('evicts the entry that was least recently set or read', () => {
  const map = new RecentMap<string, number>(3)
  for (const [value, key] of ['a', 'b', 'c'].entries()) map.set(key, value)
  expect(map.get('a')).toBe(0)
  map.set('d', 3)
  expect(['a', 'b', 'c', 'd'].map(key => map.get(key))).toEqual([0, undefined, 2, 3])
  map.set('c', 5)
  map.set('e', 4)
  expect(['a', 'c', 'd', 'e'].map(key => map.has(key))).toEqual([false, true, true, true])
  expect(map.get('c')).toBe(5)
})

test('concurrent callers share one result, and a failed computation runs again', async () => {
  const results = new RecentResults<number>(2)
  let made = 0
  const make = (fails: boolean) => () => {
    made += 1
    return fails ? Promise.reject(new Error('no')) : Promise.resolve(made)
  }
  await expect(results.get('a', make(true))).rejects.toThrow('no')
  await expect(Promise.all([results.get('a', make(false)), results.get('a', make(false))])).resolves.toEqual([2, 2])
  expect(made).toBe(2)
})
