import { z } from 'zod'
import { stripWhiteSpace } from '../../../base/white-space.js'
import { defineTextFilter, read, unread } from '../define-filter.js'
import { pythonPattern } from '../python-pattern.js'

/**
 * The match number `group_select` (from 0; negative counts from the end) of a Python regular expression: its only group,
 * the first of its groups that is not empty, or the whole match where it has none. White space at the ends is dropped.
 *
 * No match is unparsed. A `fallback` other than `[invalid]` is what the benchmark scores in its place.
 *
 * Source: lm-evaluation-harness, `filters/extraction.py`, RegexFilter.
 */
export const regex = defineTextFilter({
  id: 'regex',
  args: z.strictObject({
    regex_pattern: pythonPattern.prefault('#### (\\-?[0-9\\.\\,]+)'),
    group_select: z.int().default(0),
    fallback: z.string().default('[invalid]'),
  }),
  read(text, { regex_pattern: pattern, group_select: select, fallback }) {
    const matches = [...text.matchAll(pattern)]
    const match = matches.at(select)
    const found = match === undefined ? undefined : groupOf(match)
    if (found !== undefined) return read(stripWhiteSpace(found))
    const reason = match === undefined ? `no match ${select} of the pattern` : 'every group of the match is empty'
    return unread(reason, fallback === '[invalid]' ? undefined : fallback)
  },
})

function groupOf(match: RegExpMatchArray): string | undefined {
  if (match.length === 1) return match[0]
  if (match.length === 2) return match[1] ?? ''
  return match.slice(1).find((group: string | undefined) => group !== undefined && group !== '')
}
