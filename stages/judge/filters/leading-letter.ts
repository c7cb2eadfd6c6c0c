import { z } from 'zod'
import { pythonRegex } from '../../../base/python-regex.js'
import { defineTextFilter, read } from '../define-filter.js'

const leading = pythonRegex(String.raw`^\s*([A-Z])\.`)

/**
 * The capital letter that an answer begins with, where a dot follows it; else the answer as it is.
 *
 * Source: lmms-eval 0.7.2, `tasks/ai2d/utils.py`, MultiChoiceRegexFilter.
 */
export const leadingLetter = defineTextFilter({
  id: 'leading_letter',
  args: z.strictObject({}),
  read: text => read(leading.exec(text)?.[1] ?? text),
})
