import { expect, test } from 'vitest'
import { mathEqual } from '../../../../stages/judge/metrics/math-equal.js'
import { numericMatch } from '../../../../stages/judge/metrics/numeric-match.js'
import { announcements } from '../../../../stages/judge/text/answer-markers.js'
import { valueDenials } from '../../../../stages/judge/text/value-claims/denials.js'
import { goldenRows } from '../../../support/golden.js'
import { verdictOf } from '../../../support/judged-value.js'

interface Row {
  readonly metric: 'numeric_match' | 'math_equal'
  readonly target: string
  readonly answer: string
  readonly expected: 0 | 1 | 'unparsed'
}

const rows = goldenRows<Row>('metrics/number_answers.jsonl.gz')
const metrics = { numeric_match: numericMatch, math_equal: mathEqual }

test.each(Object.keys(metrics) as (keyof typeof metrics)[])(
  '%s takes the value that a chat model answers, and none that it denies, supposes, asks for or bounds',
  id => {
    const own = rows.filter(row => row.metric === id)
    const wrong = own.filter(({ target, answer, expected }) => {
      const verdict = verdictOf(metrics[id], answer, { target })
      const isScored = verdict.type === 'scored' && verdict.value === expected
      // A wrong value may be wrong or unread; what must not be read is unparsed.
      return !isScored && !(verdict.type === 'unparsed' && expected !== 1)
    })
    expect(wrong).toEqual([])
    expect(own.length).toBeGreaterThan(400)
  },
)

test('every language whose announcements are read has its words of denial', () => {
  expect(Object.keys(announcements).filter(language => valueDenials[language] === undefined)).toEqual([])
})

test.each([
  ['last', '3 and then 5. Answer: 42\nConfidence: 95%', '42'],
  ['first', '3 and then 5. Answer: 42\nConfidence: 95%', '3'],
])('an announced answer goes before pick: last, and not before pick: %s', (pick, answer, target) => {
  expect(verdictOf(numericMatch, answer, { target, args: { pick } })).toMatchObject({ type: 'scored', value: 1 })
})

test.each([
  ['√16', '4', 1],
  ['√16', '6', 0],
  ['\\sqrt16', '6', 1],
  ['∛125', '5', 1],
  ['∜81', '3', 1],
  ['2√2.25', '3', 1],
  ['√16x', '4x', 1],
])('a root sign in plain text holds for a whole number: %s and %s', (answer, target, value) => {
  expect(verdictOf(mathEqual, answer, { target })).toMatchObject({ value })
})
