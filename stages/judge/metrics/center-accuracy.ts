import { defineMetric } from '../define-metric.js'
import { isCentreWithin } from '../helpers/boxes.js'
import { boxArgs, judgeBox } from './reading/box.js'

/**
 * 1 where the centre of the answer's box lies within the target, edges included, else 0. Higher is better.
 *
 * Source: lmms-eval 0.7.2, `tasks/refcoco/utils_rec.py`, compute_center_accuracy; there an answer without a box is the point at the
 * origin, which lies in some targets.
 */
export const centerAccuracy = defineMetric({
  id: 'center_accuracy',
  args: boxArgs,
  higherIsBetter: true,
  range: [0, 1],
  judge: (input, args) => judgeBox(input, args, (box, target) => (isCentreWithin(box, target) ? 1 : 0)),
})
