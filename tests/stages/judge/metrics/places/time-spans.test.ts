import { expect, test } from 'vitest'
import { temporalIou, timeSpansIn } from '../../../../../stages/judge/helpers/time-spans.js'
import { temporalIouMetric } from '../../../../../stages/judge/metrics/places/time-spans.js'
import { temporalRecall } from '../../../../../stages/judge/metrics/places/time-spans.js'
import { goldenRows } from '../../../../support/golden.js'
import { valueOf, verdictOf } from '../../../../support/judged-value.js'

test.each([
  ['12.5 - 20', [12.5, 20]],
  ['The event happens from 3 s to 7.25 seconds.', [3, 7.25]],
  ['20.8 - 30.0 seconds', [20.8, 30]],
  ['between 0:12 and 1:05', [12, 65]],
  ['1:00:10 – 1:00:20', [3610, 3620]],
  ['start time: 5, end time: 9', [5, 9]],
  ['It starts at 0:09 and ends at 0:15.', [9, 15]],
  ['9 to 5', [5, 9]],
  ['[4, 8]', [4, 8]],
  ['从0:12到1:05', [12, 65]],
  ['从3秒到5秒', [3, 5]],
  ['3초에서 7초까지', [3, 7]],
  ['事件は3〜5秒です', [3, 5]],
  ['at 4', undefined],
  ['never', undefined],
])('the first time span in %j is %j', (text, span) => {
  expect(timeSpansIn(text)[0]).toEqual(span)
})

test.each([
  [[0, 10], [5, 15], 1 / 3],
  [[0, 10], [0, 10], 1],
  [[0, 1], [2, 3], 0],
  [[0, 10], [2, 4], 0.2],
  [[3, 3], [3, 3], 0],
] as const)('the overlap of %j and %j is %d', (a, b, iou) => {
  expect(temporalIou(a, b)).toBeCloseTo(iou, 12)
  expect(temporalIou(b, a)).toBeCloseTo(iou, 12)
})

test("reads 600 random answers as other programs' tasks do, with read set to charades or timelens", () => {
  const rows = goldenRows<{ answer: string; target: [number, number]; charades: number; timelens: number }>(
    'metrics/temporal_random.jsonl.gz',
  )
  expect(rows).toHaveLength(600)
  for (const { answer, target, ...values } of rows) {
    for (const read of ['charades', 'timelens'] as const)
      expect(valueOf(temporalIouMetric, answer, { target, args: { read } }), answer).toBeCloseTo(values[read], 12)
  }
})

test.each([
  ['[24, 34]', 6 / 14],
  ['(24, 34)', 6 / 14],
  [[[24, 34]], 6 / 14],
  [
    [
      [0, 4],
      [20, 30],
    ],
    1,
  ],
])('the target may be %j', (target, iou) => {
  expect(valueOf(temporalIouMetric, '20 - 30', { target })).toBeCloseTo(iou, 12)
})

test('metrics need a target of two numbers, and an answer without a span is unparsed', () => {
  expect(valueOf(temporalIouMetric, '2 to 4', { target: [0, 10] })).toBe(0.2)
  expect(valueOf(temporalRecall, '0 - 7', { target: ['0', 10], args: { threshold: 0.7 } })).toBe(1)
  expect(valueOf(temporalRecall, '0 - 6.9', { target: [0, 10], args: { threshold: 0.7 } })).toBe(0)
  const several = '0 - 2, then 5 - 9, then 0:00 and 1'
  expect(valueOf(temporalRecall, several, { target: [5, 10] })).toBe(0)
  expect(valueOf(temporalRecall, several, { target: [5, 10], args: { k: 2 } })).toBe(1)
  expect(verdictOf(temporalIouMetric, 'no idea', { target: [0, 1] })).toMatchObject({ type: 'unparsed', value: 0 })
  expect(() => verdictOf(temporalIouMetric, '1 - 2', { target: 'x' })).toThrow('is no stretch of time')
})
