import { expect, test } from 'vitest'
import { createSeededRandom } from '../../../base/values/seeded-random.js'

const draw = (seed: number, count: number): readonly number[] => {
  const next = createSeededRandom(seed)
  return Array.from({ length: count }, next)
}

test('a seed gives the same numbers again, and another seed gives others', () => {
  expect(draw(3, 20)).toEqual(draw(3, 20))
  expect(draw(3, 20)).not.toEqual(draw(4, 20))
})

test('the numbers are whole, and even over their range', () => {
  const numbers = draw(1, 64_000)
  expect(numbers.every(one => Number.isInteger(one) && one >= 0 && one < 2 ** 32)).toBe(true)
  const bins = new Array<number>(64).fill(0)
  for (const one of numbers) bins[Math.floor(one / 2 ** 26)]! += 1
  const chiSquared = bins.reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0)
  // 63 degrees of freedom: one seed in ten thousand is outside these bounds.
  expect(chiSquared).toBeGreaterThan(28)
  expect(chiSquared).toBeLessThan(112)
})
