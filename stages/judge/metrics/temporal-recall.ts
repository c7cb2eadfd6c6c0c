import { z } from 'zod'
import { defineMetric } from '../define-metric.js'
import { judgeTimeSpans, timeSpanShape } from './reading/time-span.js'

/**
 * 1 where one of the answer's first `k` stretches of time has a temporal IoU of at least `threshold` with the target, else 0: R@k, IoU = θ.
 * Higher is better.
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
