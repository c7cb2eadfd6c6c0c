import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isInRange, makeHistogram } from '../../../cache/facts/histogram.js'
import { formatRange, parseRange } from '../../../src/reading/samples/number-ranges.js'

const count = (numbers: readonly number[]) => makeHistogram('value', Float64Array.from(numbers))

describe('a histogram', () => {
  test('gives each number its own bar if there are few numbers', () => {
    expect(count([1, 0, 1, NaN, 0.5])).toEqual({
      measure: 'value',
      bars: [
        { from: 0, below: 0.5, samples: 1, isExact: true },
        { from: 0.5, below: 1, samples: 1, isExact: true },
        { from: 1, samples: 2, isExact: true },
      ],
      missing: 1,
    })
  })

  test('has bars with round bounds, and one bar for the few numbers far above', () => {
    const { bars } = count([...Array.from({ length: 200 }, (_, number) => number), 1e6])
    expect(bars[0]).toEqual({ from: 0, below: 20, samples: 20 })
    expect(bars.at(-1)).toEqual({ from: 180, samples: 21 })
  })

  test('counts each number once, in the bar whose range contains it', () => {
    const numbers = fc.array(fc.oneof(fc.double(), fc.integer(), fc.double({ min: 0, max: 1 })), { maxLength: 60 })
    fc.assert(
      fc.property(numbers, given => {
        const { bars, missing } = count(given)
        const finite = given.filter(number => Number.isFinite(number))
        expect(bars.reduce((sum, { samples }) => sum + samples, missing)).toBe(given.length)
        for (const bar of bars) {
          const range = parseRange(formatRange(bar)) ?? {}
          expect(finite.filter(number => isInRange(number, range))).toHaveLength(bar.samples)
        }
      }),
      { seed: 30, numRuns: 300 },
    )
  })

  test.each(['', '..', 'a..b', '1', '1..2..3', '1..2 '])('rejects "%s" as a range', text => {
    expect(parseRange(text)).toBeUndefined()
  })
})
