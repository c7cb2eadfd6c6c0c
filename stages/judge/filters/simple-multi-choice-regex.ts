import { z } from 'zod'
import { pythonRegex } from '../../../base/python-regex.js'
import { stripWhiteSpace } from '../../../base/white-space.js'
import { defineTextFilter, read } from '../define-filter.js'
import { escaped } from './matching/plain-form.js'

const option = pythonRegex(String.raw`\b([A-Z])\.\s+([^\n]*)`, 'g')
const mark = pythonRegex(String.raw`[^\w\s]`, 'g')

/**
 * The letter of the first option of the question whose text stands in the answer; else the answer. Options are lines such as `B. blue` of
 * the doc's `question`, lettered in their order; letters, digits, `_` and white space of the answer are compared, letter case is kept.
 *
 * Source: lmms-eval 0.7.2, `filters/extraction.py`, SimpleMultiChoiceRegexFilter.
 */
export const simpleMultiChoiceRegex = defineTextFilter({
  id: 'simple_multi_choice_regex',
  args: z.strictObject({}),
  read(text, _args, { doc: { question } }) {
    if (typeof question !== 'string') throw new Error('simple_multi_choice_regex: the doc has no text `question`')
    const options = Array.from(question.matchAll(option), match => stripWhiteSpace(match[2] ?? ''))
    const answer = stripWhiteSpace(text.replace(mark, ''))
    const found = new RegExp(options.map(escaped).join('|'), 'u').exec(answer)?.[0]
    const index = found === undefined ? -1 : options.lastIndexOf(found)
    return read(index < 0 ? answer : String.fromCharCode(65 + index))
  },
})
