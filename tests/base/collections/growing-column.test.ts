import { expect, test } from 'vitest'
import { growingColumn } from '../../../base/collections/growing-column.js'

test.each([0, 1, 16, 17, 8191, 8192, 8193, 50_000])(
  'a column of %i numbers returns each number at its index and NaN beyond the end',
  count => {
    const column = growingColumn()
    for (let place = 0; place < count; place += 1) column.push(place / 3)
    expect(column.length).toBe(count)
    const expected = Float64Array.from({ length: count }, (_, place) => place / 3)
    expect(column.values()).toEqual(expected)
    expect(Float64Array.from({ length: count }, (_, place) => column.at(place))).toEqual(expected)
    expect(column.copyTo(new Float64Array(count + 5))).toEqual(expected)
    expect([column.at(count), column.at(count + 8192)]).toEqual([NaN, NaN])
  },
)

test('a copy keeps its values while numbers are added to the column', () => {
  const column = growingColumn()
  for (let place = 0; place < 10_000; place += 1) column.push(1)
  const before = column.values()
  column.push(2)
  expect(before).toHaveLength(10_000)
  expect(column.values().at(-1)).toBe(2)
})
