import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pythonRandom } from '../../../base/python/python-random.js'
import { sampleIndices } from '../../../base/python/python-random.js'
import { goldenRows } from '../../support/golden.js'

type Row = readonly [number, number, number, readonly number[], readonly number[]]

test.each(goldenRows<Row>('python/samples.jsonl'))(
  'with seed %i, draws from %i items %i as Python does, twice',
  (seed, count, size, first, second) => {
    const random = pythonRandom(seed)
    expect(sampleIndices(random, count, size)).toEqual(first)
    expect(sampleIndices(random, count, size)).toEqual(second)
  },
)

test('a sample contains each item at most once', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31), fc.integer({ min: 0, max: 60 }), fc.nat(200), (seed, size, more) => {
      const drawn = sampleIndices(pythonRandom(seed), size + more, size)
      expect(new Set(drawn).size).toBe(size)
      expect(drawn.every(index => index >= 0 && index < size + more)).toBe(true)
    }),
  )
})

test('refuses to draw more items than exist', () => {
  expect(() => sampleIndices(pythonRandom(0), 2, 3)).toThrow('a sample of 3')
})
