/** Metrics of boxes in pictures, and how an answer and a target become boxes. */
import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import { defineMetric, scored, unparsed, type MetricInput, type Verdict } from '../define/define-metric.js'
import { boxesInAnswer, boxFromSize, boxIou, firstBracketedBox, isCentreWithin, type Box } from '../helpers/boxes.js'

const boxArgs = z.strictObject({
  /** Of the target: two corners, or a corner and a size. */
  target_format: z.enum(['xyxy', 'xywh']).default('xyxy'),
  /** `bracketed`: the first `[a, b, c, d]`. `any`: the first box in JSON or of four numbers in a row. */
  read: z.enum(['bracketed', 'any']).default('bracketed'),
})

/** Compares the answer's box with the target, which is a list of four numbers. An answer without a box is unparsed and counts 0. */
function judgeBox(
  { text, record, parity }: MetricInput,
  args: z.output<typeof boxArgs>,
  compare: (box: Box, target: Box) => number,
): Verdict {
  const given = boxOf(record.target)
  const target = args.target_format === 'xyxy' ? given : boxFromSize(given)
  const box = args.read === 'bracketed' ? firstBracketedBox(text) : boxesInAnswer(text)[0]
  // There an answer without a box is the point at the origin, which may lie in the target.
  const counted = box === undefined && parity === 'lmms-eval' ? compare([0, 0, 0, 0], target) : 0
  return box === undefined ? unparsed('the answer holds no box', counted) : scored(compare(box, target))
}

const fourNumbers = z.tuple([z.number(), z.number(), z.number(), z.number()])

function boxOf(target: Json): Box {
  const parsed = fourNumbers.safeParse(target)
  if (!parsed.success) throw new Error(`the target ${JSON.stringify(target)} is not a box: four numbers are asked for`)
  return parsed.data
}

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
