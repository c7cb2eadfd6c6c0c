/** Boxes read out of a model's answer. */
import { isList, type Json } from '../../../base/values/canonical-json.js'
import { pythonRegex } from '../../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { parsePythonFloat } from '../text/python-number.js'

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
function bestBox(boxes: readonly Box[], target: Box): Box | undefined {
  let best: { readonly box: Box; readonly iou: number } | undefined
  for (const box of boxes) {
    const iou = boxIou(box, target)
    if (best === undefined || iou > best.iou) best = { box, iou }
  }
  return best?.box
}

/** Boxes on a scale of 0 to 1000, as some models write them, in pixels. */
const fromThousandths = (box: Box, width: number, height: number): Box => [
  (box[0] / 1000) * width,
  (box[1] / 1000) * height,
  (box[2] / 1000) * width,
  (box[3] / 1000) * height,
]

const decimal = String.raw`(-?\d+(?:\.\d+)?)`
const bracketed = pythonRegex(String.raw`\[\s*${decimal},\s*${decimal},\s*${decimal},\s*${decimal}\s*\]`)

/**
 * The first `[a, b, c, d]` of plain decimals in an answer, no space before the commas; undefined where there is none.
 *
 * Source: lmms-eval 0.7.2, `tasks/refcoco/utils_rec.py`, parse_float_sequence_within, which says [0, 0, 0, 0] for none.
 */
export function firstBracketedBox(answer: string): Box | undefined {
  const match = bracketed.exec(answer)
  return match === null ? undefined : boxOf(match.slice(1).map(numberOfText))
}

const numberOfText = (text: string): number => parsePythonFloat(text) ?? NaN

const boxOf = ([a, b, c, d, ...more]: readonly number[]): Box | undefined =>
  a === undefined || b === undefined || c === undefined || d === undefined || more.length > 0 ? undefined : [a, b, c, d]

const gap = String.raw`(?:\s*,\s*|\s+)`
/** It begins where a number does, not amid its digits: so that a text of digits alone is read once. */
const loose = pythonRegex(String.raw`(?=-|(?<!\d)\d)${decimal}${gap}${decimal}${gap}${decimal}${gap}${decimal}`, 'g')

/**
 * All boxes in an answer: lists of four numbers in the JSON that it holds (fenced, whole, or from the first bracket to
 * the last), also under keys such as "bbox_2d"; without any there, every four numbers in a row.
 *
 * Source: lmms-eval 0.7.2, `tasks/refcoco_grounding/utils.py`, _parse_pred_boxes.
 */
export function boxesInAnswer(answer: string): readonly Box[] {
  const data = jsonIn(stripWhiteSpace(answer))
  const boxes = data === undefined ? [] : boxesInJson(data)
  if (boxes.length > 0) return boxes
  return Array.from(answer.matchAll(loose), match => boxOf(match.slice(1).map(numberOfText))).filter(
    box => box !== undefined,
  )
}

/**
 * The box of an answer that overlaps most with `target`. Each one counts as pixels and as thousandths of the picture,
 * whichever fits better: the answer does not say which it means.
 *
 * Source: lmms-eval 0.7.2, `tasks/refcoco_grounding/utils.py`, refcoco_grounding_process_result.
 */
export function groundedBox(
  answer: string,
  { target, width, height }: { readonly target: Box; readonly width: number; readonly height: number },
): Box | undefined {
  const boxes = boxesInAnswer(answer).flatMap(box => [box, fromThousandths(box, width, height)])
  return bestBox(boxes, target)
}

const fence = pythonRegex('(?is)```(?:json)?\\s*(.*?)\\s*```')
/** JSON has no word for it; Python's reader knows `NaN`. */
const notANumber = '\u0000NaN'

function jsonIn(text: string): Json | undefined {
  if (text === '') return undefined
  const fenced = fence.exec(text)?.[1]
  const whole = [...(fenced === undefined ? [] : [fenced]), text]
  const inner = [
    ['[', ']'],
    ['{', '}'],
  ].flatMap(([open = '', close = '']) => {
    const start = text.indexOf(open)
    const end = text.lastIndexOf(close)
    return start >= 0 && end > start ? [text.slice(start, end + 1)] : []
  })
  for (const candidate of [...whole, ...inner]) {
    const data = readJson(candidate)
    if (data !== undefined) return data
  }
  return undefined
}

/** JSON with Python's `NaN` and `Infinity`; undefined where it is none, which an answer in words always is. */
function readJson(text: string): Json | undefined {
  const plain = text.replace(/"(?:[^"\\]|\\.)*"|NaN|Infinity/g, token =>
    token === 'NaN' ? JSON.stringify(notANumber) : token === 'Infinity' ? '1e999' : token,
  )
  try {
    return JSON.parse(plain) as Json
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const boxKeys = ['bbox_2d', 'bbox', 'box', 'coordinates', 'coord', 'location', 'position']

function boxesInJson(data: Json): readonly Box[] {
  if (isList(data)) {
    const box = boxOf(data.map(plainNumber).filter(number => number !== undefined))
    return data.length === 4 && box !== undefined ? [box] : data.flatMap(boxesInJson)
  }
  if (typeof data !== 'object' || data === null) return []
  for (const key of boxKeys) {
    const value = data[key]
    if (value === undefined || !isList(value) || value.length !== 4) continue
    const box = boxOf(value.map(looseNumber).filter(number => number !== undefined))
    if (box !== undefined) return [box]
  }
  return Object.values(data).flatMap(value => (value === undefined ? [] : boxesInJson(value)))
}

const plainNumber = (value: Json): number | undefined => {
  if (value === notANumber) return NaN
  return typeof value === 'number' || typeof value === 'boolean' ? Number(value) : undefined
}

/** Under a key that says what it is, a number may be written as a text. */
const looseNumber = (value: Json): number | undefined =>
  plainNumber(value) ?? (typeof value === 'string' ? parsePythonFloat(value) : undefined)
