import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DisjointSets } from '../../../base/collections/disjoint-sets.js'

const key = fc.integer({ min: 0, max: 30 })

/** Returns the keys connected with a key, by a search over neighbours. */
function searchFrom(start: number, joins: readonly (readonly number[])[]): ReadonlySet<number> {
  const found = new Set([start])
  for (let size = 0; size < found.size;) {
    size = found.size
    for (const keys of joins) if (keys.some(each => found.has(each))) for (const each of keys) found.add(each)
  }
  return found
}

test('two keys have the same representative if and only if joins connect them', () => {
  fc.assert(
    fc.property(fc.array(fc.array(key, { maxLength: 4 }), { maxLength: 25 }), joins => {
      const sets = new DisjointSets<number>()
      for (const keys of joins) sets.join(keys)
      for (let a = 0; a <= 30; a++) {
        const connected = searchFrom(a, joins)
        for (let b = 0; b <= 30; b++) expect(sets.find(a) === sets.find(b)).toBe(connected.has(b))
      }
    }),
    { numRuns: 60 },
  )
})
