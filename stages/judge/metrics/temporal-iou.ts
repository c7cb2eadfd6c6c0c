import { z } from 'zod'
import { defineMetric } from '../define-metric.js'
import { judgeTimeSpans, timeSpanShape } from './reading/time-span.js'

/**
 * Intersection over union of the answer's first stretch of time and the target, in seconds: 0 to 1; its mean is mIoU. Higher is better.
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
