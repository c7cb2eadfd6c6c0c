import fc from 'fast-check'
import { expect, test } from 'vitest'
import { subsequenceLength, subsequenceOf } from '../../../../stages/judge/text/common-subsequence.js'

const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 90 })

test('the length of the longest common subsequence is that of the one that is found', () => {
  fc.assert(
    fc.property(words, words, (a, b) => {
      expect(subsequenceLength(a, b)).toBe(subsequenceOf(a, b, 'a').length)
    }),
  )
})

test('an answer that repeats one word is as long as its reference, at most', () => {
  const answer = Array<string>(70_000).fill('a')
  expect(subsequenceLength(answer, answer.slice(1))).toBe(69_999)
})
