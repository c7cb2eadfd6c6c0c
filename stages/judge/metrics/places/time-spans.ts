/** Metrics of time spans in videos. */
import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import { defineMetric, scored, unparsed, type MetricInput, type Verdict } from '../../define/define-metric.js'
import { charadesSpans, timelensSpans } from '../../helpers/time-span-rules.js'
import { orderSpan, temporalIou, timeSpansIn, type TimeSpan } from '../../helpers/time-spans.js'

const rules = { any: timeSpansIn, charades: charadesSpans, timelens: timelensSpans } as const

const timeSpanShape = {
  /**
   * `any`: the ranges in the answer, else its first two times. `charades`, `timelens`: by the rules of lmms-eval's
   * tasks of these names.
   */
  read: z.enum(['any', 'charades', 'timelens']).default('any'),
} as const

/**
 * Compares the first `k` time spans of the answer with the target: two numbers of seconds, or several such pairs.
 * The best values count. An answer without a time span is unparsed and counts 0.
 */
function judgeTimeSpans(
  { text, record }: MetricInput,
  {
    k,
    read,
    valueOf,
  }: { readonly k: number; readonly read: keyof typeof rules; readonly valueOf: (iou: number) => number },
): Verdict {
  const targets = parseSpans(record.target)
  const spans = rules[read](text).slice(0, k)
  if (spans.length === 0) return unparsed('the answer names no stretch of time')
  return scored(valueOf(Math.max(...spans.flatMap(span => targets.map(target => temporalIou(span, target))))))
}

const twoNumbers = z.tuple([z.coerce.number(), z.coerce.number()])
const spans = z.union([twoNumbers.transform(span => [span]), z.array(twoNumbers).min(1)])

/** Reads a target: a list, or the text of one, as some datasets have it. */
function parseSpans(target: Json): readonly TimeSpan[] {
  const parsed = spans.safeParse(typeof target === 'string' ? listIn(target) : target)
  if (!parsed.success)
    throw new Error(`the target ${JSON.stringify(target)} is no stretch of time: two numbers are asked for`)
  return parsed.data.map(([from, to]) => orderSpan(from, to))
}

function listIn(text: string): unknown {
  try {
    return JSON.parse(text.replaceAll('(', '[').replaceAll(')', ']'))
  } catch {
    return undefined
  }
}

/**
 * The intersection over union of the answer's first time span and the target, 0 to 1. Its mean is mIoU. Higher is
 * better.
 *
 * Source: Gao et al. 2017, TALL (https://arxiv.org/abs/1705.02101).
 */
export const temporalIouMetric = defineMetric({
  id: 'temporal_iou',
  args: z.strictObject(timeSpanShape),
  higherIsBetter: true,
  range: [0, 1],
  judge: (input, { read }) => judgeTimeSpans(input, { k: 1, read, valueOf: iou => iou }),
})

/**
 * R@k, IoU = θ: 1 if one of the answer's first `k` time spans has a temporal IoU of at least `threshold` with the
 * target, else 0. Higher is better.
 *
 * Source: Gao et al. 2017, TALL (https://arxiv.org/abs/1705.02101), section 4.
 */
export const temporalRecall = defineMetric({
  id: 'temporal_recall',
  args: z.strictObject({
    threshold: z.number().gt(0).max(1).default(0.5),
    k: z.int().min(1).default(1),
    ...timeSpanShape,
  }),
  higherIsBetter: true,
  range: [0, 1],
  judge: (input, { k, read, threshold }) =>
    judgeTimeSpans(input, { k, read, valueOf: iou => (iou >= threshold ? 1 : 0) }),
})
