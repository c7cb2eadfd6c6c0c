/** What the metrics of stretches of time have in common. */
import { z } from 'zod'
import type { Json } from '../../../../base/canonical-json.js'
import { scored, unparsed, type MetricInput, type Verdict } from '../../define-metric.js'
import { ordered, temporalIou, timeSpanIn, type TimeSpan } from '../../helpers/time-spans.js'

/** Compares the answer's stretch with the target, a list of two numbers of seconds. An answer without one is unparsed and counts 0. */
export function judgeTimeSpan({ text, record }: MetricInput, valueOf: (iou: number) => number): Verdict {
  const target = spanOf(record.target)
  const span = timeSpanIn(text)
  return span === undefined
    ? unparsed('the answer names no stretch of time')
    : scored(valueOf(temporalIou(span, target)))
}

const twoNumbers = z.tuple([z.coerce.number(), z.coerce.number()])

function spanOf(target: Json): TimeSpan {
  const parsed = twoNumbers.safeParse(target)
  if (!parsed.success)
    throw new Error(`the target ${JSON.stringify(target)} is no stretch of time: two numbers are asked for`)
  return ordered(...parsed.data)
}
