import { expect, test } from 'vitest'
import { computePosition, scaleAroundZero, makeScale } from '../../../src/web/parts/interval-geometry.js'

test('the scale of proportions runs from 0 to 1', () => {
  expect(makeScale([])).toEqual({ low: 0, high: 1 })
  expect(makeScale([0.2, 1, 0])).toEqual({ low: 0, high: 1 })
})

test('the scale of other values contains them and 0', () => {
  expect(makeScale([27.3, 31.8])).toEqual({ low: 0, high: 50 })
  expect(makeScale([-0.2, 0.4])).toEqual({ low: -0.2, high: 0.5 })
  expect(makeScale([-3, -12])).toEqual({ low: -15, high: 0 })
  expect(makeScale([120, Infinity])).toEqual({ low: 0, high: 150 })
})

test('the scale of differences has 0 in its centre', () => {
  const scale = scaleAroundZero([-0.06, 0.02])
  expect(scale).toEqual({ low: -0.075, high: 0.075 })
  expect(computePosition(0, scale)).toBe(50)
  expect(scaleAroundZero([0])).toEqual({ low: -1, high: 1 })
})

test('values beyond the scale are at its edges', () => {
  const scale = { low: 0, high: 1 }
  expect([-1, 0.25, 2].map(value => computePosition(value, scale))).toEqual([0, 25, 100])
  expect(computePosition(3, { low: 3, high: 3 })).toBe(0)
})
