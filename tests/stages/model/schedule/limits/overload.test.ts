import { expect, test } from 'vitest'
import { OverloadDetector } from '../../../../../stages/model/schedule/limits/overload.js'

/** Rejected once a second at these rates, with `average` as the accepted rate. */
function reject(rates: readonly number[], average: number): OverloadDetector {
  const haphazard = new OverloadDetector()
  rates.forEach((rate, index) => haphazard.noteExceeded(1_000 * index, 1_000 * index, { rate, average }))
  return haphazard
}

test('rate limits well below the average accepted pace indicate an overload', () => {
  expect(reject([50, 40, 20, 6], 10).isOn(4_000)).toBe(true)
})

test('a pace that falls to the average accepted pace is not an overload', () => {
  expect(reject([97, 48, 31, 25, 21, 19, 18], 20).isOn(7_000)).toBe(false)
})

test('an overload ends after a time, or if most requests are rate limited', () => {
  const haphazard = reject([50, 40, 20, 6], 10)
  expect(haphazard.isOn(3_000 + 30_001)).toBe(false)
  const flooded = reject([50, 40, 20, 6], 10)
  for (let request = 0; request < 60; request++) flooded.ended(4_000, request % 5 > 0)
  expect(flooded.isOn(4_000)).toBe(false)
})

/** Rejected four times, at these intervals and with this many answers between two of them. */
function spread(gapMs: number, answers: number): boolean {
  const detector = new OverloadDetector()
  return [50, 40, 20, 6].reduce((_, rate, index) => {
    for (let answered = 0; answered < answers; answered += 1) detector.ended(gapMs * index, false)
    return detector.noteExceeded(gapMs * index, gapMs * index, { rate, average: 10 })
  }, false)
}

test('rate limits are in a row if they are less than ten seconds or sixty answers apart', () => {
  expect([spread(9_999, 60), spread(10_000, 59), spread(10_000, 60)]).toEqual([true, true, false])
})

test('a second overload is recognized after a longer time and four rate limits of its own', () => {
  const detector = reject([50, 40, 20, 6], 10)
  expect([detector.isOn(3_000 + 29_999), detector.isOn(3_000 + 30_000)]).toEqual([true, false])
  const told = [0, 1, 2, 3].map(index => {
    const now = 40_000 + 1_000 * index
    return detector.noteExceeded(now, now, { rate: 6, average: 10 })
  })
  expect(told).toEqual([false, false, false, true])
  expect([detector.isOn(43_000 + 119_999), detector.isOn(43_000 + 120_000)]).toEqual([true, false])
})

test('requests that were rate limited during an earlier overload do not end a later one', () => {
  const detector = reject([50, 40, 20, 6], 10)
  for (let request = 0; request < 59; request += 1) detector.ended(4_000, true)
  for (let index = 0; index < 4; index += 1) detector.noteExceeded(40_000, 40_000, { rate: 6, average: 10 })
  detector.ended(41_000, true)
  expect(detector.isOn(41_000)).toBe(true)
})
