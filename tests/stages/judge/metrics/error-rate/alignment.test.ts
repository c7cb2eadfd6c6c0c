import fc from 'fast-check'
import { expect, test } from 'vitest'
import { align } from '../../../../../stages/judge/metrics/error-rate/alignment.js'
import { editDistance } from '../../../../../stages/judge/metrics/error-rate/edit-distance.js'
import { countChunkErrors, countEdits } from '../../../../../stages/judge/metrics/error-rate/error-counts.js'

/** Few distinct items, so that many match; longer than the 32 rows that are computed at a time. */
const items = fc.array(fc.constantFrom('a', 'b', 'c', '😀'), { maxLength: 100 })

/** The textbook's table. */
function slowDistance(from: readonly string[], to: readonly string[]): number {
  let row = to.map((_, j) => j + 1)
  from.forEach((item, i) => {
    let [left, diagonal] = [i + 1, i]
    row = row.map((up, j) => {
      left = Math.min(up + 1, left + 1, diagonal + (item === to[j] ? 0 : 1))
      diagonal = up
      return left
    })
  })
  return row.at(-1) ?? from.length
}

test('the distance equals that of a full table', () => {
  fc.assert(
    fc.property(items, items, (from, to) => {
      expect(editDistance(from, to)).toBe(slowDistance(from, to))
    }),
  )
})

test('an alignment covers both lists in order, with the minimum number of edits', () => {
  fc.assert(
    fc.property(items, items, (reference, hypothesis) => {
      const chunks = align(reference, hypothesis)
      const kept: string[] = []
      const heard: string[] = []
      for (const [type, start, end, heardStart, heardEnd] of chunks) {
        expect([start, heardStart]).toEqual([kept.length, heard.length])
        kept.push(...reference.slice(start, end))
        heard.push(...hypothesis.slice(heardStart, heardEnd))
        if (type === 'equal') expect(reference.slice(start, end)).toEqual(hypothesis.slice(heardStart, heardEnd))
      }
      expect([kept, heard]).toEqual([reference, hypothesis])
      expect(countEdits(countChunkErrors(chunks))).toBe(editDistance(reference, hypothesis))
    }),
  )
})

test('empty lists have distance 0 and an empty alignment', () => {
  expect(editDistance([], [])).toBe(0)
  expect(align([], [])).toEqual([])
})
