import { expect, test } from 'vitest'
import { mathAnswers } from '../../../../stages/judge/math/math-answer.js'
import { isMathEqual } from '../../../../stages/judge/math/math-equal.js'
import { mathEqual } from '../../../../stages/judge/metrics/math-equal.js'
import { goldenRows } from '../../../support/golden.js'

interface Row {
  readonly id: string
  readonly target: string
  readonly answer: string
  readonly expected: boolean
  /** The answer stands in a sentence. */
  readonly wrapped?: boolean
  /** Why the reference's verdict is not the mathematical one. */
  readonly misread?: string
}

const rows = goldenRows<Row>('metrics/math_verify.jsonl.gz')

const verdict = ({ target, answer, wrapped }: Row): boolean => {
  const read = wrapped === true ? mathAnswers(answer) : [answer]
  return read.some(one => isMathEqual(target, one))
}

test('mathematical texts are equal where the reference finds them equal, and where they are and it misreads them', () => {
  const wrong = rows.filter(row => verdict(row) !== (row.expected || row.misread !== undefined))
  expect(wrong.map(({ target, answer, expected }) => `${target} and ${answer}: expected ${expected}`)).toEqual([])
  expect(rows.filter(({ expected }) => expected).length).toBeGreaterThan(600)
})

test('an answer without a box, a formula or a number is unparsed', () => {
  const input = { text: 'I can not tell', references: ['5'], record: { target: '5', doc: {} }, bodies: [] }
  expect(mathEqual.judge(input, { extract: true })).toMatchObject({ type: 'unparsed', value: 0 })
})

test('a verdict depends on nothing that was compared before', () => {
  expect(isMathEqual('a+a', '2 \\times a')).toBe(true)
  expect(isMathEqual('a_n = 2n+1', '2n+1')).toBe(true)
  expect(isMathEqual('a+a', '2 \\times a')).toBe(true)
})

test.each([
  ['|x|', 'x'],
  ['\\ln x^2', '2 \\ln x'],
  ['1.6 \\times 10^{-19}', '3 \\times 10^{-19}'],
  ['(1,2]', '[1,2)'],
  ['12345678901234567890', '12345678901234567891'],
])('%s is not %s', (target, answer) => {
  expect(isMathEqual(target, answer)).toBe(false)
})

test('a model that repeats itself for 100,000 characters is judged by its text', () => {
  for (const part of ['(', '1,', '\\frac{', '\\text{a}', ' ', 'x=1 ', '\\boxed{'])
    expect(isMathEqual('5', part.repeat(100_000 / part.length))).toBe(false)
  expect(isMathEqual('1 '.repeat(50_000), '1'.repeat(50_000))).toBe(true)
})
