/** Checks that the text of a certificate says nothing but the values that are read from it. */
import { isList, isObject } from '../../base/values/canonical-json.js'

/** Strings, which may hold any other character, and numbers of a JSON text that is valid. */
const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)/g

/**
 * Compares a JSON text with its parsed value. Two readers of the text must see the same: a parser keeps the last of two equal keys, and rounds a number
 * that has more digits than it can hold.
 *
 * @returns the reason why the text says something else, as a part of a sentence; undefined if it does not
 */
export function findHiddenText(text: string, value: unknown): string | undefined {
  let keys = 0
  for (const [, , colon, number] of text.matchAll(tokens)) {
    if (colon !== undefined) keys += 1
    if (number !== undefined && normalizeNumber(number) !== normalizeNumber(JSON.stringify(Number(number))))
      return `its number ${number.slice(0, 40)} has digits that a reader may drop`
  }
  return keys === countKeys(value) ? undefined : 'one of its keys stands twice'
}

function countKeys(value: unknown): number {
  if (isList(value)) return value.reduce((sum: number, element) => sum + countKeys(element), 0)
  if (!isObject(value)) return 0
  const fields = Object.values(value)
  return fields.reduce((sum: number, field) => sum + countKeys(field), fields.length)
}

/** Writes a number of JSON as its digits and a power of ten, so that `0.50` and `5e-1` are equal. */
function normalizeNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** Decodes Base64 in its only standard form. Node's decoder skips characters that are none. @returns undefined for any other text */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
