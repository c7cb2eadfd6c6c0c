import { describe, expect, test } from 'vitest'
import type { MetricDefinition } from '../../../../stages/judge/define/define-metric.js'
import { mathEqual } from '../../../../stages/judge/metrics/math-equal.js'
import { numericMatch } from '../../../../stages/judge/metrics/numeric-match.js'
import { answerSentences } from '../../../support/answer-sentences.js'
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

const digits: Readonly<Record<string, string>> = { A: '31', B: '52', C: '74' }
/** The sentence about options with numbers in their places. */
const withNumbers = (sentence: string): string =>
  sentence.replace(/(?<![\p{sc=Latin}\p{M}])[ABC](?![\p{sc=Latin}\p{M}])/gu, letter => digits[letter] ?? letter)

/** Sentences that mean letters, or whose word between numbers is also one of another language. */
const aboutLetters = new Set(['Mali ang B? Hindi B.', 'B看似是干扰项', 'Het antwoord is A of B.'])

describe.each(Object.entries(answerSentences))('%s', (_, { states, denies, takesBack, several }) => {
  const value = (metric: MetricDefinition, sentence: string, target: string): unknown => {
    const verdict = verdictOf(metric, withNumbers(sentence), { target })
    return verdict.type === 'judge_failed' ? undefined : verdict.value
  }
  const sentences = (own: readonly string[]): readonly string[] =>
    own.filter(sentence => /\d/.test(withNumbers(sentence)) && !aboutLetters.has(sentence))

  test.each(Object.values(metrics))('has its number stated, denied and taken back, read by $id', metric => {
    expect(sentences(states).filter(sentence => value(metric, sentence, '52') !== 1)).toEqual([])
    expect(sentences(denies).filter(sentence => value(metric, sentence, '52') !== 0)).toEqual([])
    expect(sentences(takesBack).filter(sentence => value(metric, sentence, '74') !== 1)).toEqual([])
    expect(sentences(takesBack).filter(sentence => value(metric, sentence, '31') !== 0)).toEqual([])
  })

  test('names two numbers, and neither is the answer', () => {
    const taken = sentences(several).filter(sentence =>
      ['31', '52'].some(target => value(numericMatch, sentence, target) !== 0),
    )
    expect(taken).toEqual([])
  })
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
