import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OrderedKeys } from '../../../base/collections/ordered-keys.js'

test('finds the position of each key in any order and no position for an unknown key', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string()),
      fc.uniqueArray(fc.string()),
      fc.array(fc.string()),
      (first, more, asked) => {
        const keys = new OrderedKeys()
        const all = [...first, ...more.filter(key => !first.includes(key))]
        const find = (key: string): void =>
          expect(keys.find(key)).toBe(known.includes(key) ? known.indexOf(key) : undefined)
        let known = first
        for (const key of first) keys.add(key)
        for (const key of [...first, ...asked, ...first.toReversed()]) find(key)
        known = all
        for (const key of all.slice(first.length)) keys.add(key)
        for (const key of [...asked, ...all]) find(key)
      },
    ),
  )
})
