import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boxesInAnswer, firstBracketedBox, groundedBox } from '../../../../../stages/judge/helpers/boxes.js'
import { boxFromSize, boxIou, type Box } from '../../../../../stages/judge/helpers/boxes.js'
import { boxAccuracy } from '../../../../../stages/judge/metrics/places/boxes.js'
import { centerAccuracy } from '../../../../../stages/judge/metrics/places/boxes.js'
import { iou } from '../../../../../stages/judge/metrics/places/boxes.js'
import { describeGolden } from '../../../../support/golden-functions.js'
import { meanOf, valueOf, verdictOf } from '../../../../support/judged-value.js'

const thresholds = [0.1, 0.3, 0.5, 0.7, 0.9]

/** Formats without an exponent, which bracketed boxes do not allow. */
const decimal = (value: number): string => (String(value).includes('e') ? value.toFixed(20) : String(value))

interface Sample {
  readonly gold: Box
  readonly response: string
}

function scoresOf({ gold, response }: Sample): Readonly<Record<string, number>> {
  const accuracies = thresholds.map(threshold => [
    `ACC@${threshold}`,
    valueOf(boxAccuracy, response, { target: gold, args: { threshold } }),
  ])
  return {
    IoU: valueOf(iou, response, { target: gold }),
    Center_ACC: valueOf(centerAccuracy, response, { target: gold }),
    ...Object.fromEntries(accuracies),
  } as Record<string, number>
}

describeGolden('lmms_bbox', {
  'refcoco_rec.box': ({ gold, pred }: { gold: Box; pred: Box }) => {
    const { IoU, Center_ACC, ...accuracies } = scoresOf({ gold, response: `[${pred.map(decimal).join(', ')}]` })
    const atThresholds = Object.entries(accuracies).map(([name, value]) => [name.toLowerCase(), value === 1])
    return { iou: IoU, center_acc: Center_ACC === 1, ...(Object.fromEntries(atThresholds) as object) }
  },
  'refcoco_rec.parse': ({ text }: { text: string }) => ({ box: firstBracketedBox(text, 'lmms-eval') ?? [0, 0, 0, 0] }),
  'refcoco_rec.corpus': ({ samples }: { samples: readonly Sample[] }) => {
    const scores = samples.map(scoresOf)
    const names = ['IoU', ...thresholds.map(threshold => `ACC@${threshold}`), 'Center_ACC']
    return Object.fromEntries(names.map(name => [name, meanOf(scores.map(one => one[name] ?? NaN))]))
  },
  'refcoco_grounding.iou': ({ a, b }: { a: Box; b: Box }) => ({ iou: boxIou(a, b) }),
  refcoco_grounding: (input: { response: string; bbox_xywh: Box; image_size: readonly [number, number] }) => {
    const target = boxFromSize(input.bbox_xywh)
    const [width, height] = input.image_size
    const chosen = groundedBox(input.response, { target, width, height }) ?? ([0, 0, 0, 0] as const)
    return { boxes: boxesInAnswer(input.response), chosen, iou: boxIou(target, chosen) }
  },
})

test('an answer without a box is unparsed and counts 0, even for a target at the origin', () => {
  expect(verdictOf(centerAccuracy, 'nowhere', { target: [0, 0, 1, 1] })).toMatchObject({ type: 'unparsed', value: 0 })
})

test('reads a box as two corners or as corner and size, and from JSON if requested', () => {
  const args = { target_format: 'xywh', read: 'any' }
  expect(valueOf(iou, '```json\n[{"bbox_2d": [10, 10, 30, 30]}]\n```', { target: [10, 10, 20, 20], args })).toBe(1)
  const corners = ['(10, 10), (30, 30)', '<|box_start|>(10,10),(30,30)<|box_end|>', '[[10, 10], [30, 30]]']
  for (const text of corners) expect([text, valueOf(iou, text, { target: [10, 10, 20, 20], args })]).toEqual([text, 1])
})

test('a target that is not a box is an error of the doc', () => {
  expect(() => verdictOf(iou, '[0, 0, 1, 1]', { target: 'left' })).toThrow('is not a box')
})

test('IoU is symmetric, between 0 and 1, and 1 of a box with itself', () => {
  const side = fc.double({ min: -1e6, max: 1e6, noNaN: true })
  const box = fc.tuple(side, side, side, side)
  fc.assert(
    fc.property(box, box, (a, b) => {
      const value = boxIou(a, b)
      expect(value).toBe(boxIou(b, a))
      expect(value).toBeGreaterThanOrEqual(0)
      expect(value).toBeLessThanOrEqual(1)
    }),
  )
  fc.assert(fc.property(fc.nat(1000), fc.nat(1000), (x, y) => boxIou([x, y, x + 1, y + 2], [x, y, x + 1, y + 2]) === 1))
})

test.each(['[1,2,3,4]', '[ 1, 2, 3, 4 ]', '[ 1 , 2 , 3 , 4 ]', '[1 ,2 ,3 ,4]', 'It is at [1 ,\n2, 3, 4].'])(
  'reads the box in %j, whatever its spaces',
  text => {
    expect(firstBracketedBox(text)).toEqual([1, 2, 3, 4])
  },
)

test('with parity, a space before a comma ends the box, as in the reference', () => {
  expect(firstBracketedBox('[1 , 2, 3, 4]', 'lmms-eval')).toBeUndefined()
  expect(firstBracketedBox('[ 1, 2, 3, 4 ]', 'lmms-eval')).toEqual([1, 2, 3, 4])
})
