import { expect, test } from 'vitest'
import { unpairedDifference } from '../../../../src/reading/comparing/baseline-difference.js'

test('compares two scores by their standard errors', () => {
  const { difference, interval, verdict } = unpairedDifference(
    { value: 0.9, stderr: 0.02 },
    { value: 0.8, stderr: 0.02 },
    true,
  )
  expect(difference).toBeCloseTo(0.1, 12)
  expect(interval?.map(end => end.toFixed(3))).toEqual(['0.045', '0.155'])
  expect(verdict).toBe('better')
})

test.each([
  [0, 0.02],
  [0.02, 0],
  [0, 0],
  [null, 0.02],
])('gives no interval and no verdict for standard errors of %s and %s', (own, baseline) => {
  const compared = unpairedDifference({ value: 1, stderr: own }, { value: 0.8, stderr: baseline }, true)
  expect(compared).toEqual({ baseline: 0.8, difference: expect.closeTo(0.2, 12) as number, isPaired: false })
})
