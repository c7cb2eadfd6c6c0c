import { z } from 'zod'
import { defineMetric } from '../define-metric.js'
import { judgeTimeSpan } from './reading/time-span.js'

/**
 * 1 where the answer's stretch of time has a temporal IoU of at least `threshold` with the target, else 0: R@1, IoU = θ. Higher is better.
 *
 * Source: Gao et al. 2017, TALL (https://arxiv.org/abs/1705.02101), section 4.
 */
export const temporalRecall = defineMetric({
  id: 'temporal_recall',
  args: z.strictObject({ threshold: z.number().gt(0).max(1).default(0.5) }),
  higherIsBetter: true,
  range: [0, 1],
  judge: (input, { threshold }) => judgeTimeSpan(input, iou => (iou >= threshold ? 1 : 0)),
})
