import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { grouped } from '../../report/layout/numbers.js'

/** A text of a view is at most so long. Its `length` then says how long it is. */
export const longestText = 100_000

/** A text, or its beginning with its length. */
export const boundedText = (text: string): { readonly text: string; readonly length?: number } =>
  text.length <= longestText ? { text } : { text: beginning(text, longestText), length: text.length }

/** A text whose end says how much is missing, for places without a `length`. */
export const cutText = (text: string, most = longestText): string =>
  text.length <= most ? text : `${beginning(text, most)} … (${grouped(text.length)} characters in all)`

/** Does not end in half a character. */
function beginning(text: string, most: number): string {
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(most - 1))
  return text.slice(0, isHalf ? most - 1 : most)
}

/** JSON whose texts are cut, such as a doc with a picture in base64. */
export function cutJson(value: Json, most = longestText): Json {
  if (typeof value === 'string') return cutText(value, most)
  if (Array.isArray(value)) return value.map((inner: Json) => cutJson(inner, most))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, inner === undefined ? undefined : cutJson(inner, most)]),
  )
}

/** At most 200 characters in one line, for rows of a list. */
export function rowText(text: string): string {
  const line = text.slice(0, 1_000).replace(/\s+/g, ' ').trim()
  return line.length <= 200 ? line : `${beginning(line, 199)}…`
}

export const textOf = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
