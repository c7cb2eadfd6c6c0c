/** What the metrics of boxes have in common: how an answer and a target become boxes. */
import { z } from 'zod'
import type { Json } from '../../../../base/canonical-json.js'
import { scored, unparsed, type MetricInput, type Verdict } from '../../define-metric.js'
import { boxesInAnswer, firstBracketedBox } from '../../helpers/box-answers.js'
import { boxFromSize, type Box } from '../../helpers/boxes.js'

export const boxArgs = z.strictObject({
  /** Of the target: two corners, or a corner and a size. */
  target_format: z.enum(['xyxy', 'xywh']).default('xyxy'),
  /** `bracketed`: the first `[a, b, c, d]`. `any`: the first box in JSON or of four numbers in a row. */
  read: z.enum(['bracketed', 'any']).default('bracketed'),
})

/** Compares the answer's box with the target, which is a list of four numbers. An answer without a box is unparsed and counts 0. */
export function judgeBox(
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
