import fc from 'fast-check'
import { expect, test } from 'vitest'
import { busyBefore, busyTime, type BusyTime, pauses } from '../../../../stages/model/stats/timeline.js'

const sorted = (values: readonly number[]): Float64Array => Float64Array.from(values).sort()

type Interval = readonly [from: number, to: number]

const busyOf = (intervals: readonly Interval[]): BusyTime =>
  busyTime(sorted(intervals.map(([from]) => from)), sorted(intervals.map(([, to]) => to)))

const spansOf = ({ from, to, before }: BusyTime): readonly (readonly number[])[] =>
  Array.from({ length: from.length }, (_, span) => [from.at(span), to.at(span), before.at(span)])

/** Computes the union by its definition, interval by interval. */
function union(intervals: readonly Interval[]): readonly Interval[] {
  const spans: [number, number][] = []
  for (const [from, to] of [...intervals].sort((a, b) => a[0] - b[0])) {
    const last = spans.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else spans.push([from, to])
  }
  return spans
}

const interval = fc.tuple(fc.nat(60), fc.nat(9)).map(([from, lasts]): Interval => [from, from + lasts])

test('spans are the union of all intervals, with the busy time before each', () => {
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 30 }), intervals => {
      const busy = busyOf(intervals)
      let before = 0
      const expected = union(intervals).map(([from, to]) => {
        const span = [from, to, before]
        before += to - from
        return span
      })
      expect(spansOf(busy)).toEqual(expected)
      expect(busy.total).toBe(before)
    }),
  )
})

test('the position of a moment is the busy time before it', () => {
  const busy = busyOf([
    [10, 20],
    [15, 25],
    [40, 50],
  ])
  expect([5, 10, 25, 30, 45, 90].map(moment => busyBefore(busy, moment))).toEqual([0, 0, 15, 15, 20, 25])
})

test('pauses are gaps between spans that are long enough', () => {
  const busy = busyOf([
    [0, 10],
    [12, 20],
    [70, 80],
  ])
  expect(pauses(busy, 5)).toEqual([{ at: 18, lasted: 50 }])
})
