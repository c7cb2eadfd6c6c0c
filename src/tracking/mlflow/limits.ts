/** The limits of what MLflow's servers accept. Anything else is refused together with the whole batch that it is in. */
import { takeBeginning } from '../../../base/text/beginning.js'

/** Entities of one batch. */
export const batchLimits = { metrics: 1_000, params: 100, tags: 100 } as const

export const longestName = 250
export const longestParameter = 6_000
export const longestTag = 5_000

/**
 * Makes names that a server accepts, which are also paths: letters and digits of ASCII, `_`, `-`, `.`, spaces and `/`. Names that become equal get
 * numbers.
 */
export function cleanNames(names: Iterable<string>): ReadonlyMap<string, string> {
  const cleaned = new Map<string, string>()
  const uniqueNames = new Set<string>()
  for (const name of names) {
    const parts = name
      .replace(/[^\w\-. /]/g, '_')
      .split('/')
      .map(part => (/^\.*$/.test(part) ? part.replaceAll('.', '_') : part))
      .filter(part => part !== '')
    const plain = parts.join('/').slice(0, longestName) || '_'
    let unique = plain
    for (let at = 2; uniqueNames.has(unique); at++) unique = `${plain.slice(0, longestName - 5)}_${at}`
    uniqueNames.add(unique)
    cleaned.set(name, unique)
  }
  return cleaned
}

/** Cuts a value, so that its end tells that something is missing. */
export const cutValue = (text: string, most: number): string =>
  text.length <= most ? text : `${takeBeginning(text, most - 1)}…`

/** Splits a list into pieces of at most so many entries. */
export function splitList<Entry>(entries: readonly Entry[], most: number): readonly (readonly Entry[])[] {
  const pieces: (readonly Entry[])[] = []
  for (let at = 0; at < entries.length; at += most) pieces.push(entries.slice(at, at + most))
  return pieces
}
