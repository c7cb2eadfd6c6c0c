import { distance } from 'fastest-levenshtein'

const pair = /[\ud800-\udbff][\udc00-\udfff]/g

/** The number of Unicode code points in a text. */
export function codePointCount(text: string): number {
  return text.length - (text.match(pair)?.length ?? 0)
}

/** Levenshtein distance over code points: the number of insertions, deletions and replacements. */
export function codePointDistance(a: string, b: string): number {
  if (!/[\ud800-\udfff]/.test(a) && !/[\ud800-\udfff]/.test(b)) return distanceWithin(a, b)
  // Each distinct code point becomes one UTF-16 unit, which does not change the distance.
  const units = new Map<string, string>()
  const assignUnit = (point: string): string => {
    const unit = units.get(point) ?? String.fromCharCode(units.size)
    units.set(point, unit)
    return unit
  }
  return distanceWithin(Array.from(a, assignUnit).join(''), Array.from(b, assignUnit).join(''))
}

/** Skips the common start and end, so that two long and almost equal texts are compared quickly. */
function distanceWithin(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let end = 0
  while (end < shorter - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++
  return distance(a.slice(start, a.length - end), b.slice(start, b.length - end))
}

/** Removes a character at both ends of a text, like Python's `text.strip(character)`. */
export function stripCharacter(text: string, character: string): string {
  let start = 0
  let end = text.length
  while (start < end && text.charAt(start) === character) start++
  while (end > start && text.charAt(end - 1) === character) end--
  return text.slice(start, end)
}
