import { expect, test } from 'vitest'
import { RecentMap } from '../../base/recent-map.js'

test('what was neither set nor asked for lately makes room', () => {
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
