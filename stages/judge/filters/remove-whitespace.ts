import { z } from 'zod'
import { defineTextFilter, read } from '../define-filter.js'

/**
 * Drops one leading space, no more: it undoes the space that a continuation begins with.
 *
 * Source: lm-evaluation-harness, `filters/extraction.py`, WhitespaceFilter.
 */
export const removeWhitespace = defineTextFilter({
  id: 'remove_whitespace',
  args: z.strictObject({}),
  read: text => read(text.startsWith(' ') ? text.slice(1) : text),
})
