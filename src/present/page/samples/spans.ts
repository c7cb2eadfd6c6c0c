import type { Json } from '../../../../base/values/canonical-json.js'

/** A range of a text, in UTF-16 offsets; the end is exclusive. */
export type Span = readonly [start: number, end: number]

/**
 * Finds the position of an extracted value in the answer. Filters do not report positions, so the last literal occurrence is marked. Numbers and
 * letters must be whole words: the `A` of `And` does not match. Values that do not occur literally have no span.
 *
 * @returns positions in UTF-16 units
 */
export function findSpans(answer: string, value: Json): readonly Span[] {
  const texts = Array.isArray(value) ? (value as readonly Json[]) : [value]
  return texts.flatMap(text => {
    const span = lastOccurrence(answer, literal(text))
    return span === undefined ? [] : [span]
  })
}

function literal(value: Json): string {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' ? String(value) : ''
}

function lastOccurrence(answer: string, text: string): Span | undefined {
  if (text === '' || text.length > answer.length) return undefined
  return occurrence(answer, text) ?? occurrence(answer.toLowerCase(), text.toLowerCase(), answer.length)
}

/** @param length the length of the text that positions are of; another one means that lower case changed positions */
function occurrence(answer: string, text: string, length = answer.length): Span | undefined {
  if (answer.length !== length) return undefined
  for (let at = answer.lastIndexOf(text); at >= 0; at = at === 0 ? -1 : answer.lastIndexOf(text, at - 1)) {
    const end = at + text.length
    if (isWhole(answer, at, end)) return [at, end]
  }
  return undefined
}

/** Returns whether the neighbours of a found text do not continue its first or last word. */
function isWhole(answer: string, start: number, end: number): boolean {
  const joins = (left: string, right: string): boolean => wordPart.test(left) && wordPart.test(right)
  return !joins(answer.charAt(start - 1), answer.charAt(start)) && !joins(answer.charAt(end - 1), answer.charAt(end))
}

const wordPart = /[\p{L}\p{N}_]/u
