import { expect, test } from 'vitest'
import {
  add,
  compare,
  divide,
  fraction,
  multiply,
  raise,
  readDecimal,
  toNumber,
  whole,
} from '../../../../stages/judge/numbers/rational.js'

test('reads decimals exactly', () => {
  expect(readDecimal('-12.50')).toEqual({ top: -25n, bottom: 2n })
  expect(readDecimal('1e-3')).toEqual({ top: 1n, bottom: 1000n })
  expect(readDecimal('.5e1')).toEqual({ top: 5n, bottom: 1n })
  for (const text of ['', '.', '-', '1,5', 'e5', '0x10']) expect(readDecimal(text)).toBeUndefined()
})

test('keeps fractions in lowest terms', () => {
  const third = fraction(2n, -6n)
  expect(third).toEqual({ top: -1n, bottom: 3n })
  expect(third && add(third, third)).toEqual({ top: -2n, bottom: 3n })
  expect(third && multiply(third, whole(3))).toEqual({ top: -1n, bottom: 1n })
  expect(divide(whole(1), whole(0))).toBeUndefined()
  expect(compare({ top: 1n, bottom: 3n }, { top: 3n, bottom: 10n })).toBeGreaterThan(0)
})

test('powers have integer exponents and a bounded size', () => {
  expect(raise(whole(2), whole(-3))).toEqual({ top: 1n, bottom: 8n })
  expect(raise(whole(0), whole(-1))).toBeUndefined()
  expect(raise(whole(0), whole(0))).toEqual({ top: 1n, bottom: 1n })
  expect(raise(whole(-1), whole(10n ** 30n + 1n))).toEqual({ top: -1n, bottom: 1n })
  expect(raise(whole(3), whole(10n ** 30n))).toBeUndefined()
  expect(raise(whole(2), { top: 1n, bottom: 2n })).toBeUndefined()
  expect(readDecimal('1e999999999')).toBeUndefined()
})

test('converts to the nearest doubles, even if numerator and denominator exceed any double', () => {
  expect(toNumber({ top: 1n, bottom: 3n })).toBe(1 / 3)
  const large = 10n ** 400n
  expect(toNumber({ top: large + 1n, bottom: large * 4n })).toBeCloseTo(0.25, 12)
  expect(toNumber(whole(large))).toBe(Infinity)
})

const power = (top: bigint, bottom: bigint, exponent: bigint) => ({ top: top ** exponent, bottom: bottom ** exponent })

test.each([
  ['1.05^360', power(21n, 20n, 360n), 1.05 ** 360],
  ['0.95^360', power(19n, 20n, 360n), 0.95 ** 360],
  ['(3/2)^1000', power(3n, 2n, 1000n), 1.5 ** 1000],
  ['(2/3)^1000', power(2n, 3n, 1000n), (2 / 3) ** 1000],
  ['2^1023, of parts of which none is a double', { top: 2n ** 9023n, bottom: 2n ** 8000n }, 2 ** 1023],
  ['10^300', { top: 10n ** 700n, bottom: 10n ** 400n }, 1e300],
  ['10^-300', { top: 10n ** 400n, bottom: 10n ** 700n }, 1e-300],
  ['1/10^307', { top: 1n, bottom: 10n ** 307n }, 1e-307],
])('%s differs from the exact value only in its last digits', (_, exact, double) => {
  const negative = toNumber({ top: -exact.top, bottom: exact.bottom })
  expect(toNumber(exact) / double).toBeCloseTo(1, 12)
  expect(negative / -double).toBeCloseTo(1, 12)
})

test('the smallest numbers keep their digits, and numbers out of range become 0 or infinite', () => {
  expect(toNumber({ top: 1n, bottom: 2n ** 1074n })).toBe(Number.MIN_VALUE)
  expect(toNumber({ top: -3n, bottom: 2n ** 1074n })).toBe(-3 * Number.MIN_VALUE)
  expect(toNumber({ top: 3n ** 1000n, bottom: 3n ** 1000n * 2n ** 1074n })).toBe(Number.MIN_VALUE)
  expect(toNumber(power(1n, 10n, 5000n))).toBe(0)
  expect(toNumber(power(3n, 2n, 10_000n))).toBe(Infinity)
  expect(toNumber({ top: -(3n ** 10_000n), bottom: 2n ** 10_000n })).toBe(-Infinity)
  expect(toNumber({ top: 0n, bottom: 10n ** 400n })).toBe(0)
})
