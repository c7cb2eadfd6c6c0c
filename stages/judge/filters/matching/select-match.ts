import { stripWhiteSpace } from '../../../../base/white-space.js'

/** What a pattern says of a text: nothing, the text of the match that was asked for, or that there is no such one among its matches. */
export type Selected =
  | { readonly type: 'none' }
  | { readonly type: 'found'; readonly text: string }
  | { readonly type: 'out-of-range'; readonly reason: string }

/**
 * The match number `select` (from 0; negative counts from the end): its only group, the first of its groups that is not empty, or the
 * whole match where the pattern has none. White space at the ends is dropped.
 */
export function selectMatch(text: string, pattern: RegExp, select: number): Selected {
  const matches = [...text.matchAll(pattern)]
  if (matches.length === 0) return { type: 'none' }
  const match = matches.at(select)
  if (match === undefined) return { type: 'out-of-range', reason: `no match ${select} of the pattern` }
  const found = groupOf(match)
  if (found === undefined) return { type: 'out-of-range', reason: 'every group of the match is empty' }
  return { type: 'found', text: stripWhiteSpace(found) }
}

function groupOf(match: RegExpMatchArray): string | undefined {
  if (match.length === 1) return match[0]
  if (match.length === 2) return match[1] ?? ''
  return match.slice(1).find((group: string | undefined) => group !== undefined && group !== '')
}
