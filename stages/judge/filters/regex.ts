import { z } from 'zod'
import { pythonRegex } from '../../../base/python/python-regex.js'
import { stripWhiteSpace, whiteSpaceClass } from '../../../base/python/white-space.js'
import { escapePattern } from '../../../base/text/escape-pattern.js'
import type { JudgeRecord } from '../../../cache/records.js'
import { defineTextFilter, read, unread } from '../define/define-filter.js'
import { pythonPattern } from '../metrics/text-rules.js'
import { withoutPunctuation } from '../text/unicode-14.js'

/** Options for what is ignored when an answer is compared with the options' texts. */
const ignoring = {
  ignore_case: z.boolean().default(false),
  /** True if all characters of Unicode's categories P are ignored. */
  ignore_punctuation: z.boolean().default(false),
  /** Python patterns whose matches are removed first, one pattern after the other. */
  regexes_to_ignore: z.array(pythonPattern).nullish(),
}

interface Ignoring {
  readonly ignore_case: boolean
  readonly ignore_punctuation: boolean
  readonly regexes_to_ignore?: readonly RegExp[] | null | undefined
}

function plainForm(text: string, options: Ignoring): string {
  let plain = text
  for (const pattern of options.regexes_to_ignore ?? []) plain = plain.replace(pattern, '')
  if (options.ignore_case) plain = plain.toLowerCase()
  return options.ignore_punctuation ? withoutPunctuation(plain) : plain
}

/**
 * Extracts match number `group_select` of a Python regular expression, from 0; negative numbers count from the end.
 * The result is the only group, the first non-empty group, or the whole match if there is no group. White space at
 * the ends is removed.
 *
 * An answer without a match is unparsed. A `fallback` other than `[invalid]` is scored in its place.
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

/**
 * Extracts the option that an answer names, as `(A)`, `(B)`…. It tries `regex_pattern` as in `regex`, then the
 * first option text in the answer, then a letter after a colon. Of option texts that begin at one place, the longest
 * counts. The options are the doc's `choices`.
 *
 * An answer without a match is unparsed. A `fallback` other than `[invalid]` is scored in its place.
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
    const { byText, textPattern, byLetter, letterPattern } = makeOptionPatterns(record, options)
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

function makeOptionPatterns(record: JudgeRecord, options: Ignoring) {
  const texts = readChoices(record).map(choice => plainForm(stripWhiteSpace(choice), options))
  const letters = texts.map((_, i) => String.fromCharCode(65 + i))
  return {
    byText: new Map(texts.map((text, i) => [text, `(${letters[i] ?? ''})`])),
    // The longest text first: an option may begin another one, as "C" begins "C++".
    textPattern: new RegExp(
      texts
        .toSorted((a, b) => b.length - a.length)
        .map(escapePattern)
        .join('|'),
      'gu',
    ),
    byLetter: new Map(letters.map(letter => [letter, `(${letter})`])),
    letterPattern: new RegExp(`:[${whiteSpaceClass}]*(${letters.map(escapePattern).join('|')})`, 'gu'),
  }
}

function readChoices({ doc, choices }: JudgeRecord): readonly string[] {
  const ownChoices = doc['choices']
  const choiceTexts =
    Array.isArray(ownChoices) && ownChoices.every(choice => typeof choice === 'string') ? ownChoices : choices
  if (choiceTexts === undefined)
    throw new Error('multi_choice_regex: the doc has no list `choices`, and the task no doc_to_choice')
  return choiceTexts
}

const option = pythonRegex(String.raw`\b([A-Z])\.\s+([^\n]*)`, 'g')
const mark = pythonRegex(String.raw`[^\w\s]`, 'g')

/**
 * The letter of the question's first option whose text is in the answer; else the answer. Options are lines such as
 * `B. blue` of the doc's `question`, lettered in their order. The comparison is case-sensitive and uses only
 * letters, digits, `_` and white space of the answer.
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
    const optionText = new RegExp(options.map(escapePattern).join('|'), 'u').exec(answer)?.[0]
    const index = optionText === undefined ? -1 : options.lastIndexOf(optionText)
    return read(index < 0 ? answer : String.fromCharCode(65 + index))
  },
})

/** The result of a pattern: no match, the selected match's text, or no match with the selected number. */
type Selected =
  | { readonly type: 'none' }
  | { readonly type: 'found'; readonly text: string }
  | { readonly type: 'out-of-range'; readonly reason: string }

/**
 * Selects match number `select`, from 0; negative numbers count from the end. The result is the only group, the
 * first non-empty group, or the whole match if there is no group. White space at the ends is removed.
 */
function selectMatch(text: string, pattern: RegExp, select: number): Selected {
  const matches = [...text.matchAll(pattern)]
  if (matches.length === 0) return { type: 'none' }
  const match = matches.at(select)
  if (match === undefined) return { type: 'out-of-range', reason: `no match ${select} of the pattern` }
  const group = chooseGroup(match)
  if (group === undefined) return { type: 'out-of-range', reason: 'every group of the match is empty' }
  return { type: 'found', text: stripWhiteSpace(group) }
}

function chooseGroup(match: RegExpMatchArray): string | undefined {
  if (match.length === 1) return match[0]
  if (match.length === 2) return match[1] ?? ''
  return match.slice(1).find((group: string | undefined) => group !== undefined && group !== '')
}
