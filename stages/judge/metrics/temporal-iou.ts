import { z } from 'zod'
import { defineMetric } from '../define-metric.js'
import { judgeTimeSpans } from './reading/time-span.js'

/**
 * Intersection over union of the answer's first stretch of time and the target, in seconds: 0 to 1; its mean is mIoU. Higher is better.
 *
 * Source: Gao et al. 2017, TALL (https://arxiv.org/abs/1705.02101).
 */
export const temporalIouMetric = defineMetric({
  id: 'temporal_iou',
  args: z.strictObject({}),
  higherIsBetter: true,
  range: [0, 1],
  judge: input => judgeTimeSpans(input, { k: 1, valueOf: iou => iou }),
})
