import { z } from 'zod'
import { defineMetric } from '../define-metric.js'
import { boxIou } from '../helpers/boxes.js'
import { boxArgs, judgeBox } from './reading/box.js'

/**
 * 1 where the intersection over union of the answer's box and the target is at least `threshold`, else 0 (ACC@0.5 with the usual
 * threshold). Higher is better.
 *
 * Source: Everingham et al. 2010, the PASCAL VOC challenge, section 4.2; Yu et al. 2016, RefCOCO (https://arxiv.org/abs/1608.00272).
 */
export const boxAccuracy = defineMetric({
  id: 'box_accuracy',
  args: boxArgs.extend({ threshold: z.number().min(0).max(1).default(0.5) }),
  higherIsBetter: true,
  range: [0, 1],
  judge: (input, args) => judgeBox(input, args, (box, target) => (boxIou(box, target) >= args.threshold ? 1 : 0)),
})
