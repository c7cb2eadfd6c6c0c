/** What the metrics of stretches of time have in common. */
import { z } from 'zod'
import type { Json } from '../../../../base/canonical-json.js'
import { scored, unparsed, type MetricInput, type Verdict } from '../../define-metric.js'
import { ordered, temporalIou, timeSpansIn, type TimeSpan } from '../../helpers/time-spans.js'

/**
 * Compares the first `k` stretches of the answer with the target, a list of two numbers of seconds; the best one counts. An answer without
 * any is unparsed and counts 0.
 */
export function judgeTimeSpans(
  { text, record }: MetricInput,
  { k, valueOf }: { readonly k: number; readonly valueOf: (iou: number) => number },
): Verdict {
  const target = spanOf(record.target)
  const spans = timeSpansIn(text).slice(0, k)
  if (spans.length === 0) return unparsed('the answer names no stretch of time')
  return scored(valueOf(Math.max(...spans.map(span => temporalIou(span, target)))))
}

const twoNumbers = z.tuple([z.coerce.number(), z.coerce.number()])

function spanOf(target: Json): TimeSpan {
  const parsed = twoNumbers.safeParse(target)
  if (!parsed.success)
    throw new Error(`the target ${JSON.stringify(target)} is no stretch of time: two numbers are asked for`)
  return ordered(...parsed.data)
}
