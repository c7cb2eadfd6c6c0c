import { expect, test } from 'vitest'
import * as terminal from '../../../src/report/layout/numbers.js'
import * as browser from '../../../src/web/parts/numbers.js'

const values = [0, 0.4, 0.0004, 0.0956, 0.9994, 1, 9.96, 59.6, 99.6, 999.6, 1234.5, 61_000, 3_725_000, 12_345_678]

test.each([
  'grouped',
  'fixed',
  'signed',
  'duration',
  'shortTime',
  'axisLabel',
  'dollars',
  'rate',
  'size',
  'dateTime',
] as const)('%s shows a number as the terminal does', name => {
  for (const value of values) expect(browser[name](value)).toBe(terminal[name](value))
})

test('shares, ranges and p-values are shown as in the terminal', () => {
  for (const part of [0, 1, 5, 999, 1000]) expect(browser.percent(part, 1000)).toBe(terminal.percent(part, 1000))
  expect(browser.percent(0, 0)).toBe(terminal.percent(0, 0))
  for (const interval of [null, [-0.1, 0.2]] as const) expect(browser.range(interval)).toBe(terminal.range(interval))
  for (const p of [0.00001, 0.04, 1]) expect(browser.probability(p)).toBe(terminal.probability(p))
  expect(browser.signedRange([-0.014, 0.017])).toBe('−0.014 … +0.017')
})

test('a time that is none is shown as it is', () => {
  expect(browser.dateTime('yesterday')).toBe('yesterday')
})
