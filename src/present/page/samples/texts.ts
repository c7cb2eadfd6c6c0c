import { isObject, type Json } from '../../../../base/values/canonical-json.js'
import { shortenText, takeBeginning } from '../../../../base/text/beginning.js'
import { formatCount } from '../../../../base/text/numbers.js'
import { startAtMatch } from '../../../../base/text/search-spans.js'

/** The maximum length of a text in a view. The `length` of a cut text is its full length. */
const longestText = 100_000

/** A text, or its beginning with its length. */
export const boundedText = (text: string): { readonly text: string; readonly length?: number } =>
  text.length <= longestText ? { text } : { text: takeBeginning(text, longestText), length: text.length }

/** Cuts a text and appends how much is missing, for views without a `length`. */
export const cutText = (text: string, most = longestText): string =>
  text.length <= most ? text : `${takeBeginning(text, most)} … (${formatCount(text.length)} characters in all)`

/** Cuts the texts within JSON, such as a doc with a picture in base64. */
export function cutJson(value: Json, most = longestText): Json {
  if (typeof value === 'string') return cutText(value, most)
  if (Array.isArray(value)) return value.map((inner: Json) => cutJson(inner, most))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, inner === undefined ? undefined : cutJson(inner, most)]),
  )
}

/** At most 200 characters in one line, for rows of a list. A text that a search matches begins near its first match. */
export function rowText(text: string, search = ''): string {
  return shortenText(startAtMatch(text, search).slice(0, 1_000).replace(/\s+/g, ' ').trim(), 200)
}

export const formatValue = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
