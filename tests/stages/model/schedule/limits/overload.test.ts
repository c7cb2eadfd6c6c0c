import { expect, test } from 'vitest'
import { OverloadDetector } from '../../../../../stages/model/schedule/limits/overload.js'

/** Refused once a second at these rates, `average` having been borne. */
function refuse(rates: readonly number[], average: number): OverloadDetector {
  const haphazard = new OverloadDetector()
  rates.forEach((rate, index) => haphazard.refused(1_000 * index, 1_000 * index, { rate, average }))
  return haphazard
}

test('refusals at a pace well below what was borne on average have nothing to do with a rate', () => {
  expect(refuse([50, 40, 20, 6], 10).isOn(4_000)).toBe(true)
})

test('a pace that falls to what was borne on average is not one', () => {
  expect(refuse([97, 48, 31, 25, 21, 19, 18], 20).isOn(7_000)).toBe(false)
})

test('it ends after a time, and where most requests are refused', () => {
  const haphazard = refuse([50, 40, 20, 6], 10)
  expect(haphazard.isOn(3_000 + 30_001)).toBe(false)
  const flooded = refuse([50, 40, 20, 6], 10)
  for (let request = 0; request < 60; request++) flooded.ended(4_000, request % 5 > 0)
  expect(flooded.isOn(4_000)).toBe(false)
})
