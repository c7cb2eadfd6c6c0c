import { defineMetric } from '../define-metric.js'
import { boxIou } from '../helpers/boxes.js'
import { boxArgs, judgeBox } from './reading/box.js'

/**
 * Intersection over union of the answer's box and the target: 0 to 1. Higher is better. Both are in the same unit.
 *
 * Source: Everingham et al. 2010, the PASCAL VOC challenge, section 4.2; Yu et al. 2016, RefCOCO (https://arxiv.org/abs/1608.00272).
 */
export const iou = defineMetric({
  id: 'iou',
  args: boxArgs,
  higherIsBetter: true,
  range: [0, 1],
  judge: (input, args) => judgeBox(input, args, boxIou),
})
