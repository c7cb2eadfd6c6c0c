import { expect, test } from 'vitest'
import {
  parsePythonFloat,
  parsePythonInt,
  pythonFloatText,
  pythonRound,
} from '../../../../stages/judge/text/python-number.js'
import { goldenRows } from '../../../support/golden.js'

type Row =
  | { readonly fn: 'float'; readonly input: string; readonly expected: number | string | null }
  | { readonly fn: 'int'; readonly input: string; readonly expected: string | null }
  | { readonly fn: 'str'; readonly input: number; readonly expected: string }
  | {
      readonly fn: 'round'
      readonly input: { readonly value: number; readonly places: number }
      readonly expected: number
    }

const rows = goldenRows<Row>('metrics/python_numbers.jsonl.gz')

function ours(row: Row): number | string | null {
  switch (row.fn) {
    case 'float': {
      const value = parsePythonFloat(row.input) ?? null
      // JSON has no form for infinities and NaN.
      return value === null || Number.isFinite(value) ? value : String(value)
    }
    case 'int':
      return parsePythonInt(row.input)?.toString() ?? null
    case 'str':
      return pythonFloatText(row.input)
    case 'round':
      return pythonRound(row.input.value, row.input.places)
  }
}

test.each(['float', 'int', 'str', 'round'])('%s returns the same as in Python', name => {
  const own = rows.filter(row => row.fn === name)
  expect(own.length).toBeGreaterThan(0)
  // The sign of Python's -0.0 survives JSON, but it is not compared.
  expect(own.map(row => [row, plusZero(ours(row))])).toEqual(own.map(row => [row, plusZero(row.expected)]))
})

const plusZero = (value: number | string | null): number | string | null => (value === 0 ? 0 : value)

test('writes infinities, NaN and negative zero as Python does', () => {
  expect([NaN, Infinity, -Infinity, -0].map(pythonFloatText)).toEqual(['nan', 'inf', '-inf', '-0.0'])
  expect(Object.is(pythonRound(-0.04, 1), -0)).toBe(true)
})

test.each(['1'.repeat(100_000), ' '.repeat(100_000), '1_'.repeat(50_000)])(
  'reads a text of 100,000 characters that is nearly a number in linear time',
  text => {
    expect(parsePythonFloat(`${text}x`)).toBeUndefined()
    expect(parsePythonFloat(`x${text}x`)).toBeUndefined()
  },
)
