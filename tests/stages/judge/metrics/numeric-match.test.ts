import { expect, test } from 'vitest'
import type { Verdict } from '../../../../stages/judge/define/define-metric.js'
import { numericMatch, relaxedAccuracy } from '../../../../stages/judge/metrics/numeric-match.js'
import { goldenRows } from '../../../support/golden.js'
import { valueOf, verdictOf } from '../../../support/judged-value.js'

interface Row {
  readonly answer: string
  readonly target: string
  readonly expected: 0 | 1 | 'unparsed'
}

const rows = goldenRows<Row>('metrics/number_forms.jsonl')
const outcome = (verdict: Verdict): unknown => (verdict.type === 'scored' ? verdict.value : verdict.type)

test('reads a whole number in the forms that people and models write, or is unparsed', () => {
  const wrong = rows.flatMap(({ answer, target, expected }) => {
    const got = outcome(verdictOf(numericMatch, answer, { target }))
    return got === expected ? [] : [{ answer, target, expected, got }]
  })
  expect(wrong).toEqual([])
  expect(rows.length).toBeGreaterThan(190)
})

test('a word before a number sets its sign', () => {
  for (const answer of ['minus 3', 'The result is negative 3.', '负3', 'マイナス3', 'минус 3', 'negative $3'])
    expect([answer, outcome(verdictOf(numericMatch, answer, { target: '-3' }))]).toEqual([answer, 1])
  expect(outcome(verdictOf(numericMatch, '5 minus 3', { target: '3' }))).not.toBe(1)
})

test('a target that is not one number is an error of the doc', () => {
  for (const target of ['five', '1 and 2', '2√3', '12/05/2024', '10-20'])
    expect(() => verdictOf(numericMatch, '5', { target })).toThrow('is not one number')
})

test('pick selects the first, the last or the only number', () => {
  expect(valueOf(numericMatch, '5 of 7', { target: '5', args: { pick: 'first' } })).toBe(1)
  expect(valueOf(numericMatch, '5 of 7', { target: '7' })).toBe(1)
  expect(outcome(verdictOf(numericMatch, '5 of 7', { target: '7', args: { pick: 'only' } }))).toBe('unparsed')
  expect(valueOf(numericMatch, '0.5, that is 1/2', { target: '0.5', args: { pick: 'only' } })).toBe(1)
})

test('tolerances are exact, even for long numbers', () => {
  const near = { target: '9007199254740992', args: { absolute: 0.5 } }
  expect(valueOf(numericMatch, '9007199254740993', near)).toBe(0)
  expect(valueOf(numericMatch, '1.155', { target: '1.1', args: { relative: 0.05 } })).toBe(1)
  expect(valueOf(numericMatch, '1.1551', { target: '1.1', args: { relative: 0.05 } })).toBe(0)
  expect(valueOf(numericMatch, '95', { target: '-100', args: { relative: 1.95 } })).toBe(1)
})

test('without a tolerance, relaxed accuracy compares long numbers exactly', () => {
  const exact = { target: '9007199254740992', args: { tolerance: 0 } }
  expect(valueOf(relaxedAccuracy, '9007199254740993', exact)).toBe(0)
  expect(valueOf(relaxedAccuracy, '9007199254740992.0', exact)).toBe(1)
  expect(valueOf(relaxedAccuracy, '20%', { target: '0.2', args: { tolerance: 0 } })).toBe(1)
})

test('reads the repetitions of a looping model in linear time', () => {
  for (const part of ['1', '1,', '111 ', '1/', '1^', '\\frac{', '1+', '3万', '(1)', '1e', 'π1', '0.(1)'])
    expect(outcome(verdictOf(numericMatch, part.repeat(100_000 / part.length), { target: '5' }))).not.toBe(1)
})
