/** Reads bounding boxes from a model's answer, and compares them. */
import { isList, type Json } from '../../../base/values/canonical-json.js'
import { pythonRegex } from '../../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import type { Parity } from '../define/parity.js'
import { parsePythonFloat } from '../text/python-number.js'

/** The corners of a box: left, top, right, bottom. The unit is pixels, or any unit that both boxes use. */
export type Box = readonly [left: number, top: number, right: number, bottom: number]

/** Converts a box given as left, top, width and height. */
export const boxFromSize = ([left, top, width, height]: Box): Box => [left, top, left + width, top + height]

/**
 * The intersection over union, 0 to 1. A box with swapped corners has no area. If the union is empty, the result is
 * 0.
 *
 * Source: Everingham et al. 2010, the PASCAL VOC challenge, section 4.2.
 */
export function boxIou(a: Box, b: Box): number {
  const width = larger(0, smaller(a[2], b[2]) - larger(a[0], b[0]))
  const height = larger(0, smaller(a[3], b[3]) - larger(a[1], b[1]))
  const intersection = width * height
  const union = computeArea(a) + computeArea(b) - intersection
  return union > 0 ? intersection / union : 0
}

const computeArea = ([left, top, right, bottom]: Box): number => larger(0, right - left) * larger(0, bottom - top)

// Math.max and Math.min would return NaN if one coordinate is NaN.
const larger = (a: number, b: number): number => (b > a ? b : a)
const smaller = (a: number, b: number): number => (b < a ? b : a)

/** Returns whether the centre of `box` is in `target` or on its edges. */
export function isCentreWithin(box: Box, target: Box): boolean {
  const x = (box[0] + box[2]) / 2
  const y = (box[1] + box[3]) / 2
  return target[0] <= x && x <= target[2] && target[1] <= y && y <= target[3]
}

/** The box that overlaps most with `target`, the first one if several are equal; undefined if there is no box. */
function bestBox(boxes: readonly Box[], target: Box): Box | undefined {
  let best: { readonly box: Box; readonly iou: number } | undefined
  for (const box of boxes) {
    const iou = boxIou(box, target)
    if (best === undefined || iou > best.iou) best = { box, iou }
  }
  return best?.box
}

/** Converts a box on a scale of 0 to 1000, as some models write it, to pixels. */
const fromThousandths = (box: Box, width: number, height: number): Box => [
  (box[0] / 1000) * width,
  (box[1] / 1000) * height,
  (box[2] / 1000) * width,
  (box[3] / 1000) * height,
]

const decimal = String.raw`(-?\d+(?:\.\d+)?)`
const bracketed = pythonRegex(String.raw`\[\s*${decimal}\s*,\s*${decimal}\s*,\s*${decimal}\s*,\s*${decimal}\s*\]`)
const tightlyBracketed = pythonRegex(String.raw`\[\s*${decimal},\s*${decimal},\s*${decimal},\s*${decimal}\s*\]`)

/**
 * The first `[a, b, c, d]` of plain decimals in an answer; undefined if there is none. With parity a box with spaces
 * before its commas is none.
 *
 * Source: lmms-eval 0.7.2, `tasks/refcoco/utils_rec.py`, parse_float_sequence_within, which returns [0, 0, 0, 0] if
 * there is none.
 */
export function firstBracketedBox(answer: string, parity?: Parity): Box | undefined {
  const match = (parity === 'lmms-eval' ? tightlyBracketed : bracketed).exec(answer)
  return match === null ? undefined : makeBox(match.slice(1).map(numberOfText))
}

const numberOfText = (text: string): number => parsePythonFloat(text) ?? NaN

const makeBox = ([a, b, c, d, ...more]: readonly number[]): Box | undefined =>
  a === undefined || b === undefined || c === undefined || d === undefined || more.length > 0 ? undefined : [a, b, c, d]

const gap = String.raw`(?:\s*,\s*|\s+)`
/**
 * A match starts at the first digit of a number. A start amid digits would make the time quadratic for long runs of
 * digits.
 */
const loose = pythonRegex(String.raw`(?=-|(?<!\d)\d)${decimal}${gap}${decimal}${gap}${decimal}${gap}${decimal}`, 'g')

/** Two corners, each in brackets: `(10, 20), (30, 40)`, as in the box tokens of Qwen-VL and others. */
const corners = pythonRegex(
  String.raw`[(\[]\s*${decimal}\s*,\s*${decimal}\s*[)\]]\s*,?\s*[(\[]\s*${decimal}\s*,\s*${decimal}\s*[)\]]`,
  'g',
)

/**
 * All boxes in an answer. They are lists of four numbers in its JSON, also under keys such as "bbox_2d". The JSON
 * is fenced, the whole answer, or the text from the first bracket to the last. Without boxes in JSON, every four
 * numbers in a row are a box.
 *
 * Source: lmms-eval 0.7.2, `tasks/refcoco_grounding/utils.py`, _parse_pred_boxes.
 */
export function boxesInAnswer(answer: string): readonly Box[] {
  const data = jsonIn(stripWhiteSpace(answer))
  const boxes = data === undefined ? [] : boxesInJson(data)
  if (boxes.length > 0) return boxes
  return matchBoxes(answer, loose)
}

/** Four named coordinates, as in `{"x1": 10, "y1": 20, "x2": 30, "y2": 40}` and `xmin=10, ymin=20, xmax=30, ymax=40`. */
const namedCorners = pythonRegex(
  [
    ['x', '1', 'min'],
    ['y', '1', 'min'],
    ['x', '2', 'max'],
    ['y', '2', 'max'],
  ]
    .map(([axis, index, end]) => String.raw`\b${axis}_?(?:${index}|${end})["'\s]*[:=]\s*${decimal}`)
    .join(String.raw`[,;\s]*["']?`),
  'gi',
)

/**
 * Lists the boxes of an answer that are two corners, such as `(10, 20), (30, 40)`, or four named coordinates, which
 * {@link boxesInAnswer} does not read.
 */
export const cornersInAnswer = (answer: string): readonly Box[] => [
  ...matchBoxes(answer, corners),
  ...matchBoxes(answer, namedCorners),
]

const matchBoxes = (answer: string, pattern: RegExp): readonly Box[] =>
  Array.from(answer.matchAll(pattern), match => makeBox(match.slice(1).map(numberOfText))).filter(
    box => box !== undefined,
  )

/**
 * The box of an answer that overlaps most with `target`. Answers don't say which unit they use, so each box is
 * tried as pixels and as thousandths of the image.
 * No shipped task uses it yet; see `docs/decisions/helpers-before-tasks.md`.
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

/** Stands for NaN, which JSON does not have and Python's JSON reader accepts. */
const notANumber = '\u0000NaN'

/** The text in the first Markdown fence. A pattern with white space at both ends of a lazy match takes cubic time. */
function findFenced(text: string): string | undefined {
  const start = text.indexOf('```')
  const end = start < 0 ? -1 : text.indexOf('```', start + 3)
  return end < 0 ? undefined : stripWhiteSpace(text.slice(start + 3, end).replace(/^json/i, ''))
}

function jsonIn(text: string): Json | undefined {
  if (text === '') return undefined
  const fenced = findFenced(text)
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

/** Parses JSON with Python's `NaN` and `Infinity`; undefined if the text is not JSON. */
function readJson(text: string): Json | undefined {
  const plain = text.replace(/"(?:[^"\\]|\\[^])*(?:"|$)|NaN|Infinity/g, token =>
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

/** The boxes in JSON of any depth, in their order. A model can write brackets within brackets by the thousand. */
function boxesInJson(data: Json): readonly Box[] {
  const boxes: Box[] = []
  const pending: Json[] = [data]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const box = ownBox(next)
    if (box !== undefined) boxes.push(box)
    else if (typeof next === 'object' && next !== null)
      for (const value of Object.values(next).reverse()) if (value !== undefined) pending.push(value)
  }
  return boxes
}

/** The box that a list of four numbers, or an object with such a list, is itself. */
function ownBox(data: Json): Box | undefined {
  if (isList(data)) {
    const box = makeBox(data.map(plainNumber).filter(number => number !== undefined))
    return data.length === 4 ? box : undefined
  }
  if (typeof data !== 'object' || data === null) return undefined
  for (const key of boxKeys) {
    const value = data[key]
    if (value === undefined || !isList(value) || value.length !== 4) continue
    const box = makeBox(value.map(looseNumber).filter(number => number !== undefined))
    if (box !== undefined) return box
  }
  return undefined
}

const plainNumber = (value: Json): number | undefined => {
  if (value === notANumber) return NaN
  return typeof value === 'number' || typeof value === 'boolean' ? Number(value) : undefined
}

/** Numbers under such a key may also be written as text. */
const looseNumber = (value: Json): number | undefined =>
  plainNumber(value) ?? (typeof value === 'string' ? parsePythonFloat(value) : undefined)
