/** The limits of what MLflow's servers accept. Anything else is refused together with the whole batch that it is in. */
import { takeBeginning } from '../../../base/text/beginning.js'
import { hexDigits, sha256 } from '../../../cache/digest.js'

/** Entities of one batch. */
export const batchLimits = { metrics: 1_000, params: 100, tags: 100 } as const

export const longestName = 250
export const longestParameter = 6_000
export const longestTag = 5_000

/**
 * Makes names that a server accepts, which are also paths: letters and digits of all scripts, `_`, `-`, `.`, spaces and `/`. A name depends on nothing
 * else that is sent, so that it means the same in each run. The `,` before a filter and the `=` before a label become `_`; any other character that is
 * refused becomes its code, such as `_x3c_` for `<`. A name that would be too long ends in a part of its digest.
 */
export function cleanNames(names: Iterable<string>): ReadonlyMap<string, string> {
  const cleaned = new Map<string, string>()
  const uniqueNames = new Set<string>()
  for (const name of new Set(names)) {
    const plain = name.normalize('NFC').split('/').map(cleanPart).join('/')
    // Two names are equal now if the separators of one stand as `_` in the other, as in `m,f` and `m_f`.
    const unique = plain.length > longestName || uniqueNames.has(plain) ? addDigest(plain, name) : plain
    uniqueNames.add(unique)
    cleaned.set(name, unique)
  }
  return cleaned
}

/** A part of a name: a metric with its filter, or a field with its label. */
function cleanPart(part: string): string {
  if (/^\.*$/.test(part)) return part === '' ? '_' : part.replaceAll('.', encodeCharacter)
  const separator = part.includes('=') ? part.indexOf('=') : part.lastIndexOf(',')
  if (separator <= 0) return encodeText(part)
  return `${encodeText(part.slice(0, separator))}_${encodeText(part.slice(separator + 1))}`
}

const encodeText = (text: string): string => text.replace(/_(?=x[0-9a-f]+_)|[^\p{L}\p{N}_\-. ]/gu, encodeCharacter)

const encodeCharacter = (character: string): string => `_x${(character.codePointAt(0) ?? 0).toString(16)}_`

/** The digits of the digest that make a cut name unique. */
const digestLength = 8

const addDigest = (plain: string, name: string): string =>
  `${takeBeginning(plain, longestName - digestLength - 1)}_${hexDigits(sha256(name)).slice(0, digestLength)}`

/** Cuts a value, so that its end tells that something is missing. */
export const cutValue = (text: string, most: number): string =>
  text.length <= most ? text : `${takeBeginning(text, most - 1)}…`

/** Splits a list into pieces of at most so many entries. */
export function splitList<Entry>(entries: readonly Entry[], most: number): readonly (readonly Entry[])[] {
  const pieces: (readonly Entry[])[] = []
  for (let at = 0; at < entries.length; at += most) pieces.push(entries.slice(at, at + most))
  return pieces
}
