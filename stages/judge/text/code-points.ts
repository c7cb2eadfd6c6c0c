import { distance } from 'fastest-levenshtein'

const pair = /[\ud800-\udbff][\udc00-\udfff]/g

/** How many Unicode code points `text` has. */
export function codePointCount(text: string): number {
  return text.length - (text.match(pair)?.length ?? 0)
}

/** Levenshtein distance over code points: how many of them must be inserted, deleted or replaced. */
export function codePointDistance(a: string, b: string): number {
  if (!/[\ud800-\udfff]/.test(a) && !/[\ud800-\udfff]/.test(b)) return distanceWithin(a, b)
  // Any naming of the code points by single units gives the same distance.
  const units = new Map<string, string>()
  const unitOf = (point: string): string => {
    const known = units.get(point) ?? String.fromCharCode(units.size)
    units.set(point, known)
    return known
  }
  return distanceWithin(Array.from(a, unitOf).join(''), Array.from(b, unitOf).join(''))
}

/** What both begin and end with costs nothing: of two long texts that are almost the same, little is left to compare. */
function distanceWithin(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let end = 0
  while (end < shorter - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++
  return distance(a.slice(start, a.length - end), b.slice(start, b.length - end))
}

/** `text` without any of `character` at its ends, as Python's `text.strip(character)`. */
export function stripCharacter(text: string, character: string): string {
  let start = 0
  let end = text.length
  while (start < end && text.charAt(start) === character) start++
  while (end > start && text.charAt(end - 1) === character) end--
  return text.slice(start, end)
}

/** Whether a text has a cased letter and none that is small, as Python's `str.isupper()`. */
export const isUpper = (text: string): boolean => /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text)

/** Whether a text has a cased letter and none that is large, as Python's `str.islower()`. */
export const isLower = (text: string): boolean => /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text)
