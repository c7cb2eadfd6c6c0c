import { z } from 'zod'
import { stripWhiteSpace, whiteSpaceClass } from '../../../base/white-space.js'
import type { JudgeRecord } from '../../../cache/records.js'
import { defineTextFilter, read, unread } from '../define-filter.js'
import { pythonPattern } from '../python-pattern.js'
import { escaped, ignoring, plainForm, type Ignoring } from './matching/plain-form.js'
import { selectMatch } from './matching/select-match.js'

/**
 * The option that an answer names, as `(A)`, `(B)`…: what `regex_pattern` finds, as with `regex`; else the first text of an option that
 * stands in the answer; else a letter behind a colon. Options are the doc's `choices`.
 *
 * No match is unparsed. A `fallback` other than `[invalid]` is what the benchmark scores in its place.
 *
 * Source: lm-evaluation-harness, `filters/extraction.py`, MultiChoiceRegexFilter.
 */
export const multiChoiceRegex = defineTextFilter({
  id: 'multi_choice_regex',
  args: z.strictObject({
    regex_pattern: pythonPattern.prefault('#### (\\-?[0-9\\.\\,]+)'),
    group_select: z.int().default(0),
    fallback: z.string().default('[invalid]'),
    ...ignoring,
  }),
  read(text, { regex_pattern: pattern, group_select: select, fallback, ...options }, record) {
    const standIn = fallback === '[invalid]' ? undefined : fallback
    const { byText, textPattern, byLetter, letterPattern } = optionsOf(record, options)
    const steps = [
      { text, pattern, names: new Map<string, string>() },
      { text: plainForm(text, options), pattern: textPattern, names: byText },
      { text, pattern: letterPattern, names: byLetter },
    ]
    for (const step of steps) {
      const selected = selectMatch(step.text, step.pattern, select)
      if (selected.type === 'out-of-range') return unread(selected.reason, standIn)
      if (selected.type === 'found' && selected.text !== '') return read(step.names.get(selected.text) ?? selected.text)
    }
    return unread('the answer names no option', standIn)
  },
})

function optionsOf(record: JudgeRecord, options: Ignoring) {
  const texts = choicesOf(record).map(choice => plainForm(stripWhiteSpace(choice), options))
  const letters = texts.map((_, i) => String.fromCharCode(65 + i))
  return {
    byText: new Map(texts.map((text, i) => [text, `(${letters[i] ?? ''})`])),
    textPattern: new RegExp(texts.map(escaped).join('|'), 'gu'),
    byLetter: new Map(letters.map(letter => [letter, `(${letter})`])),
    letterPattern: new RegExp(`:[${whiteSpaceClass}]*(${letters.map(escaped).join('|')})`, 'gu'),
  }
}

function choicesOf({ doc, choices }: JudgeRecord): readonly string[] {
  const given = doc['choices']
  const found = Array.isArray(given) && given.every(choice => typeof choice === 'string') ? given : choices
  if (found === undefined)
    throw new Error('multi_choice_regex: the doc has no list `choices`, and the task no doc_to_choice')
  return found
}
