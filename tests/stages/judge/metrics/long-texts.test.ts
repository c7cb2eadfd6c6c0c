import { expect, test } from 'vitest'
import { googleRouge } from '../../../../stages/judge/metrics/rouge.js'
import { setRouge } from '../../../../stages/judge/helpers/set-rouge.js'
import { translationEdits } from '../../../../stages/judge/metrics/sacrebleu/translation-edits.js'

test('counts edits between two texts of 100,000 words without a table', () => {
  const words = Array.from({ length: 100_000 }, (_, at) => `w${at}`)
  expect(translationEdits(words, words.slice(7))).toBe(7)
  const moved = [...words.slice(0, 50_000), ...words.slice(50_010, 50_020), ...words.slice(50_000, 50_010)]
  expect(translationEdits([...moved, ...words.slice(50_020)], words)).toBe(1)
})

test('compares repeated lines and sentences once', () => {
  const options = { variant: 'rougeLsum', useStemmer: false } as const
  expect(googleRouge('a b\n'.repeat(20_000), 'b a\n'.repeat(20_000), options).fmeasure).toBe(0.5)
  expect(googleRouge('a\n'.repeat(20_000), `${'a '.repeat(20_000)}\nb`, options).recall).toBeCloseTo(1 / 20_001, 12)
  expect(setRouge('a b.'.repeat(20_000), 'a c.'.repeat(20_000))['rouge-l'].p).toBe(0.5)
})
