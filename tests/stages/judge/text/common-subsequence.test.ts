import fc from 'fast-check'
import { expect, test } from 'vitest'
import { subsequenceLength, findSubsequence } from '../../../../stages/judge/text/common-subsequence.js'

const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 90 })

/** Computes the subsequence with the whole table, cell by cell. */
function slowly(a: readonly string[], b: readonly string[], prefer: 'a' | 'b'): readonly number[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0
  a.forEach((one, i) => {
    b.forEach((other, j) => {
      lengths[i + 1]![j + 1] = one === other ? at(i, j) + 1 : Math.max(at(i, j + 1), at(i + 1, j))
    })
  })
  const found: number[] = []
  let [i, j] = [a.length, b.length]
  while (i > 0 && j > 0) {
    const isLeft = prefer === 'a' ? at(i, j - 1) > at(i - 1, j) : at(i - 1, j) <= at(i, j - 1)
    if (a[i - 1] === b[j - 1]) {
      found.unshift(--i)
      j--
    } else if (isLeft) j--
    else i--
  }
  return found
}

test('finds the same longest common subsequence as a full table', () => {
  fc.assert(
    fc.property(words, words, fc.constantFrom('a' as const, 'b' as const), (a, b, prefer) => {
      expect(findSubsequence(a, b, prefer)).toEqual(slowly(a, b, prefer))
      expect(subsequenceLength(a, b)).toBe(findSubsequence(a, b, prefer).length)
    }),
  )
})

test('compares an answer of 70,000 equal words', () => {
  const answer = Array<string>(70_000).fill('a')
  expect(subsequenceLength(answer, answer.slice(1))).toBe(69_999)
})

test('finds positions in two long texts without a table', () => {
  const answer = Array<string>(70_000).fill('a')
  expect(findSubsequence(answer, answer.slice(1), 'a')).toHaveLength(69_999)
})
