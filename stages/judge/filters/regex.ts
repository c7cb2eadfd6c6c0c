import { z } from 'zod'
import { defineTextFilter, read, unread } from '../define-filter.js'
import { pythonPattern } from '../python-pattern.js'
import { selectMatch } from './matching/select-match.js'

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
    const selected = selectMatch(text, pattern, select)
    if (selected.type === 'found') return read(selected.text)
    const reason = selected.type === 'none' ? `no match ${select} of the pattern` : selected.reason
    return unread(reason, fallback === '[invalid]' ? undefined : fallback)
  },
})
