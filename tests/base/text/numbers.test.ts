import { expect, test } from 'vitest'
import * as numbers from '../../../base/text/numbers.js'

test.each([
  [numbers.formatCount(1234567), '1,234,567'],
  [numbers.formatQuantity(1, 'doc'), '1 doc'],
  [numbers.formatQuantity(1.2, 'doc'), '1 doc'],
  [numbers.formatQuantity(0, 'doc'), '0 docs'],
  [numbers.formatDecimal(-0.0141), '−0.014'],
  [numbers.formatDecimal(null), '–'],
  [numbers.formatDifference(0.0171), '+0.017'],
  [numbers.formatDifference(-0.0141), '−0.014'],
  [numbers.range([0.8852, 0.9217]), '0.885 – 0.922'],
  [numbers.range(null), '–'],
  [numbers.signedRange([-0.014, 0.017]), '−0.014 … +0.017'],
  [numbers.signedRange(null), '–'],
  [numbers.axisLabel(-0.25), '−0.25'],
  [numbers.percent(1000, 1000), '100 %'],
  [numbers.percent(9999, 10000), '99.9 %'],
  [numbers.percent(896, 900), '99.5 %'],
  [numbers.percent(1, 10000), '< 0.1 %'],
  [numbers.percent(0, 10), '0 %'],
  [numbers.percent(0, 0), '–'],
  [numbers.duration(412), '0.4 s'],
  [numbers.duration(11_200), '11 s'],
  [numbers.duration(125_000), '2 min 5 s'],
  [numbers.duration(3_780_000), '1 h 3 min'],
  [numbers.shortTime(0), '0 ms'],
  [numbers.shortTime(0.42), '0.4 ms'],
  [numbers.shortTime(12.3), '12 ms'],
  [numbers.shortTime(312), '0.31 s'],
  [numbers.shortTime(4_210), '4.2 s'],
  [numbers.shortTime(125_000), '2 min 5 s'],
  [numbers.dollars(0), '$0'],
  [numbers.dollars(0.00421), '$0.0042'],
  [numbers.dollars(0.999), '$1.00'],
  [numbers.dollars(1234.5), '$1,234.50'],
  [numbers.rate(96.42), '96.4/s'],
  [numbers.rate(12_345), '12,345/s'],
  [numbers.rate(0.004), '0.004/s'],
  [numbers.size(999), '999 B'],
  [numbers.size(3_300_000), '3.3 MB'],
  [numbers.size(999_999), '1.0 MB'],
  [numbers.probability(0.5), '0.5000'],
  [numbers.probability(1e-9), '< 0.0001'],
])('formats %j as %j', (given, expected) => {
  expect(given).toBe(expected)
})

test('shows a time in the local time zone', () => {
  expect(numbers.dateTime(new Date(2026, 10, 21, 14, 2).getTime())).toBe('2026-11-21 14:02')
})

test('shows a text that is not a time unchanged', () => {
  expect(numbers.dateTime('yesterday')).toBe('yesterday')
})
