/** Corners of a box: left, top, right, bottom; in pixels, or whatever unit both boxes have. */
export type Box = readonly [left: number, top: number, right: number, bottom: number]

/** From left, top, width, height. */
export const boxFromSize = ([left, top, width, height]: Box): Box => [left, top, left + width, top + height]

/**
 * Intersection over union: 0 to 1. A box whose corners are the wrong way round has no area; where the union is empty, it is 0.
 *
 * Source: Everingham et al. 2010, the PASCAL VOC challenge, section 4.2.
 */
export function boxIou(a: Box, b: Box): number {
  const width = larger(0, smaller(a[2], b[2]) - larger(a[0], b[0]))
  const height = larger(0, smaller(a[3], b[3]) - larger(a[1], b[1]))
  const intersection = width * height
  const union = areaOf(a) + areaOf(b) - intersection
  return union > 0 ? intersection / union : 0
}

const areaOf = ([left, top, right, bottom]: Box): number => larger(0, right - left) * larger(0, bottom - top)

// A coordinate that is not a number must not make the result none: Math.max and Math.min would.
const larger = (a: number, b: number): number => (b > a ? b : a)
const smaller = (a: number, b: number): number => (b < a ? b : a)

/** Whether the centre of `box` lies within `target`, its edges included. */
export function isCentreWithin(box: Box, target: Box): boolean {
  const x = (box[0] + box[2]) / 2
  const y = (box[1] + box[3]) / 2
  return target[0] <= x && x <= target[2] && target[1] <= y && y <= target[3]
}

/** The box that overlaps most with `target`, the first of equals; undefined where there is none. */
export function bestBox(boxes: readonly Box[], target: Box): Box | undefined {
  let best: { readonly box: Box; readonly iou: number } | undefined
  for (const box of boxes) {
    const iou = boxIou(box, target)
    if (best === undefined || iou > best.iou) best = { box, iou }
  }
  return best?.box
}

/** Boxes on a scale of 0 to 1000, as some models write them, in pixels. */
export const fromThousandths = (box: Box, width: number, height: number): Box => [
  (box[0] / 1000) * width,
  (box[1] / 1000) * height,
  (box[2] / 1000) * width,
  (box[3] / 1000) * height,
]
