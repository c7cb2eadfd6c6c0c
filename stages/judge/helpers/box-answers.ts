/** Boxes read out of a model's answer. */
import type { Json } from '../../../base/canonical-json.js'
import { pythonRegex } from '../../../base/python-regex.js'
import { stripWhiteSpace } from '../../../base/white-space.js'
import { parsePythonFloat } from '../text/python-number.js'
import { bestBox, fromThousandths, type Box } from './boxes.js'

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

// Array.isArray does not narrow a readonly array out of a union.
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
