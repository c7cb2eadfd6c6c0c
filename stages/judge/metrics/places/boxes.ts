/** Metrics of bounding boxes in images, and how an answer and a target are read as boxes. */
import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import { defineMetric, scored, unparsed, type MetricInput, type Verdict } from '../../define/define-metric.js'
import {
  boxesInAnswer,
  boxFromSize,
  boxIou,
  cornersInAnswer,
  firstBracketedBox,
  isCentreWithin,
  type Box,
} from '../../helpers/boxes.js'

const boxArgs = z.strictObject({
  /** The format of the target: two corners, or a corner and a size. */
  target_format: z.enum(['xyxy', 'xywh']).default('xyxy'),
  /** `bracketed`: the first `[a, b, c, d]`. `any`: the first box in JSON, of four numbers in a row or of two corners. */
  read: z.enum(['bracketed', 'any']).default('bracketed'),
})

function readBox(text: string, { read }: z.output<typeof boxArgs>, parity: MetricInput['parity']): Box | undefined {
  return read === 'bracketed' ? firstBracketedBox(text, parity) : (boxesInAnswer(text)[0] ?? cornersInAnswer(text)[0])
}

/** What the metrics of this file read of an answer. */
const readCorners = (
  { text, parity }: Pick<MetricInput, 'text' | 'parity'>,
  args: z.output<typeof boxArgs>,
): string | undefined => readBox(text, args, parity)?.join(' ')

/**
 * Compares the answer's box with the target, a list of four numbers. An answer without a box is unparsed and counts
 * 0.
 */
function judgeBox(
  { text, record, parity }: MetricInput,
  args: z.output<typeof boxArgs>,
  compare: (box: Box, target: Box) => number,
): Verdict {
  const targetBox = parseBox(record.target)
  const target = args.target_format === 'xyxy' ? targetBox : boxFromSize(targetBox)
  const box = readBox(text, args, parity)
  // lmms-eval reads an answer without a box as a point at the origin, which can be in the target.
  const counted = box === undefined && parity === 'lmms-eval' ? compare([0, 0, 0, 0], target) : 0
  return box === undefined ? unparsed('the answer holds no box', counted) : scored(compare(box, target))
}

const fourNumbers = z.tuple([z.number(), z.number(), z.number(), z.number()])

function parseBox(target: Json): Box {
  const parsed = fourNumbers.safeParse(target)
  if (!parsed.success) throw new Error(`the target ${JSON.stringify(target)} is not a box: four numbers are asked for`)
  return parsed.data
}

/**
 * The intersection over union of the answer's box and the target, 0 to 1. Higher is better. Both must have the same
 * unit.
 *
 * Source: Everingham et al. 2010, the PASCAL VOC challenge, section 4.2; Yu et al. 2016, RefCOCO
 * (https://arxiv.org/abs/1608.00272).
 */
export const iou = defineMetric({
  id: 'iou',
  args: boxArgs,
  higherIsBetter: true,
  range: [0, 1],
  readAnswer: readCorners,
  judge: (input, args) => judgeBox(input, args, boxIou),
})

/**
 * 1 if the intersection over union of the answer's box and the target is at least `threshold`, else 0. The default
 * threshold gives ACC@0.5. Higher is better.
 *
 * Source: Everingham et al. 2010, the PASCAL VOC challenge, section 4.2; Yu et al. 2016, RefCOCO
 * (https://arxiv.org/abs/1608.00272).
 */
export const boxAccuracy = defineMetric({
  id: 'box_accuracy',
  args: boxArgs.extend({ threshold: z.number().min(0).max(1).default(0.5) }),
  higherIsBetter: true,
  range: [0, 1],
  readAnswer: readCorners,
  judge: (input, args) => judgeBox(input, args, (box, target) => (boxIou(box, target) >= args.threshold ? 1 : 0)),
})

/**
 * 1 if the centre of the answer's box is in the target or on its edges, else 0. Higher is better.
 *
 * Source: lmms-eval 0.7.2, `tasks/refcoco/utils_rec.py`, compute_center_accuracy. There an answer without a box is
 * the point at the origin, which is in some targets.
 */
export const centerAccuracy = defineMetric({
  id: 'center_accuracy',
  args: boxArgs,
  higherIsBetter: true,
  range: [0, 1],
  readAnswer: readCorners,
  judge: (input, args) => judgeBox(input, args, (box, target) => (isCentreWithin(box, target) ? 1 : 0)),
})
