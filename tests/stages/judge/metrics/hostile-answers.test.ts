import { expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import {
  readBinaryReply,
  readJsonReply,
  readScore,
  readScorePair,
} from '../../../../stages/judge/helpers/judge-replies.js'
import { boxAccuracy, iou } from '../../../../stages/judge/metrics/places/boxes.js'
import { contains, exactMatch } from '../../../../stages/judge/metrics/exact-match.js'
import { mathEqual } from '../../../../stages/judge/metrics/math-equal.js'
import { numericMatch, relaxedAccuracy } from '../../../../stages/judge/metrics/numeric-match.js'
import { optionLetter } from '../../../../stages/judge/metrics/option-letter.js'
import { temporalIouMetric } from '../../../../stages/judge/metrics/places/time-spans.js'
import { yesNo } from '../../../../stages/judge/metrics/yes-no.js'
import type { MetricDefinition } from '../../../../stages/judge/define/define-metric.js'
import { valueOf } from '../../../support/judged-value.js'

type Read = (text: string) => unknown

const reader =
  (metric: MetricDefinition, target: Json, args: object = {}): Read =>
  text =>
    valueOf(metric, text, { target, args, choices: ['red', 'blue', 'green'] })

const box = [1, 2, 3, 4]
const readers: readonly (readonly [name: string, read: Read])[] = [
  ['numeric_match', reader(numericMatch, '1')],
  ['numeric_match with pick: only', reader(numericMatch, '1', { pick: 'only' })],
  ['math_equal', reader(mathEqual, '1')],
  ['relaxed_accuracy', reader(relaxedAccuracy, '1')],
  ['option_letter', reader(optionLetter, 'A')],
  ['yes_no', reader(yesNo, 'yes')],
  ['contains', reader(contains, '1')],
  ['exact_match', reader(exactMatch, '1', { ignore_punctuation: true, ignore_numbers: true })],
  ['iou', reader(iou, box)],
  ['iou with read: any', reader(iou, box, { read: 'any' })],
  ['box_accuracy', reader(boxAccuracy, box, { read: 'any' })],
  ['temporal_iou', reader(temporalIouMetric, [1, 2])],
  ['temporal_iou with read: charades', reader(temporalIouMetric, [1, 2], { read: 'charades' })],
  ['temporal_iou with read: timelens', reader(temporalIouMetric, [1, 2], { read: 'timelens' })],
  ['readScore', text => readScore(text, [0, 10])],
  ['readScorePair', readScorePair],
  ['readBinaryReply', readBinaryReply],
  ['readJsonReply', readJsonReply],
]

/** Parts of which a looping or hostile model can write any number, and texts behind them that end no match. */
const parts = [
  ...[
    '1',
    '1.',
    '1,',
    '1 ',
    '1-',
    '1:',
    '[',
    '[1',
    '{',
    '{"a":',
    '(',
    ' ',
    '\n',
    'a',
    'a ',
    'A ',
    '$',
    '\\(',
    '\\boxed{',
  ],
  ...[
    '\\boxed{1} is wrong. ',
    '\\frac{',
    '<answer>',
    '"',
    '\\"',
    '```',
    '**',
    '#### ',
    'answer is ',
    'Answer: 1\n',
    'not ',
  ],
  ...['if ', '1 or ', '1 to ', '√', 'x1=', '答案是', '? ', 'B. ', '|', '[1,2,3,4],'],
]
const tails = ['', 'x', ' 1']

/** CPU time of this thread, so that other processes of the machine count for nothing. */
function cpuOf(read: Read, text: string): number {
  const before = process.threadCpuUsage()
  read(text)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test.each(readers)('%s takes time in proportion to the length of any answer', (_, read) => {
  const slow = parts.flatMap(part =>
    tails.flatMap(tail => {
      const make = (length: number): string => part.repeat(Math.ceil(length / part.length)) + tail
      // Reading four times the text may take four times as long. The floor leaves out what is too short to measure.
      const isSlow = (): boolean => cpuOf(read, make(40_000)) > 10 * Math.max(10, cpuOf(read, make(10_000)))
      return isSlow() && isSlow() && isSlow() ? [part + tail] : []
    }),
  )
  expect(slow).toEqual([])
})

test.each([
  ['[', ']'],
  ['{"a":', '}'],
])('boxes are found in JSON of 50,000 levels of %s', (open, close) => {
  const deep = `${open.repeat(50_000)}[1,2,3,4]${close.repeat(50_000)}`
  expect(valueOf(iou, deep, { target: box, args: { read: 'any' } })).toBe(1)
})

test('boxes in JSON are found in their order', () => {
  const answer = '[{"bbox":[9,9,9,9]},[[1,2,3,4],[5,6,7,8]]]'
  expect(valueOf(iou, answer, { target: box, args: { read: 'any' } })).toBeGreaterThanOrEqual(0)
})
