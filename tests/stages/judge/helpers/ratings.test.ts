import { expect, test } from 'vitest'
import { readScore, readScorePair } from '../../../../stages/judge/helpers/judge-replies.js'
import { goldenRows } from '../../../support/golden.js'

interface Row {
  readonly reply: string
  readonly range: readonly [number, number]
  readonly expected: number | null
}

test('a rating is read by its announcement and its scale, in the forms and languages that judges write', () => {
  const wrong = goldenRows<Row>('metrics/ratings.jsonl').flatMap(({ reply, range, expected }) => {
    const rating = readScore(reply, range) ?? null
    const isSame = rating !== null && expected !== null ? Math.abs(rating - expected) < 1e-9 : rating === expected
    return isSame ? [] : [{ reply, range, expected, rating }]
  })
  expect(wrong).toEqual([])
})

test.each([
  'Error 503: try later',
  'HTTP 500',
  'Rate limit: retry after 20 seconds',
  'There are 3 mistakes in 5 lines.',
  '12',
])('a number that is no rating is none: %s', reply => {
  expect(readScore(reply, [0, 10])).toBeUndefined()
  expect(readScore(reply, [0, 1])).toBeUndefined()
})

test('with parity the first number counts, within the range', () => {
  expect(readScore('Step 1: good. Score: 7', [0, 10], 'lmms-eval')).toBe(1)
  expect(readScore('Error 503', [0, 1], 'lmms-eval')).toBe(1)
})

test.each([
  ['8 7', [8, 7]],
  ['8.5, 7', [8.5, 7]],
  ['Assistant 1: 8, Assistant 2: 7', [8, 7]],
  ['8/10 and 7/10', [8, 7]],
  ['Error 503 after 2 of 5 retries', undefined],
  ['8', undefined],
])('two ratings of a line are read: %s', (reply, pair) => {
  expect(readScorePair(reply)).toEqual(pair)
})
