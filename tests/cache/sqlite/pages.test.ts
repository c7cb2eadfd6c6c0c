import { expect, test } from 'vitest'
import { readFewRows } from '../../../cache/sqlite/pages.js'

/** Rows with only a length, and the number of rows that were read. */
function rowsOf(lengths: readonly number[]): { readonly rows: Iterable<number>; readonly read: () => number } {
  let read = 0
  const rows = (function* () {
    for (const length of lengths) {
      read += 1
      yield length
    }
  })()
  return { rows, read: () => read }
}

const asLong = (length: number): number => length

test('reads no more rows than it returns', () => {
  const { rows, read } = rowsOf(Array.from({ length: 5000 }, () => 100))
  expect(readFewRows(rows, asLong)).toHaveLength(200)
  expect(read()).toBe(200)
})

test('a page holds as many long rows as fit by their size, and at least one', () => {
  expect(readFewRows(rowsOf([200_000, 200_000, 200_000, 200_000]).rows, asLong)).toHaveLength(3)
  expect(readFewRows(rowsOf([80_000_000, 80_000_000]).rows, asLong)).toHaveLength(1)
  expect(readFewRows([], asLong)).toEqual([])
})
