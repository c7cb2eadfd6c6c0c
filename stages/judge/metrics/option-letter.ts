import { z } from 'zod'
import { isList, type Json } from '../../../base/values/canonical-json.js'
import type { JudgeRecord } from '../../../cache/records.js'
import { defineMetric, scored, unparsed } from '../define/define-metric.js'
import { targetIndexes } from '../define/target.js'
import { readOption } from '../helpers/options/read-option.js'
import { parseLetters, readOptions } from '../helpers/options/read-options.js'

/**
 * 1 if the option that the answer names is the target, else 0. Higher is better. An answer that names no option, or
 * several without a preference, is unparsed and counts 0. A target that is no option is an error of the doc, whatever the
 * answer says.
 *
 * `options` is the number of options if the doc has no choices. The target is a letter, an index from 0, or a
 * choice's text. {@link readOption} describes how the letter is found.
 */
export const optionLetter = defineMetric({
  id: 'option_letter',
  args: z.strictObject({ options: z.int().min(2).max(26).optional() }),
  higherIsBetter: true,
  range: [0, 1],
  readAnswer({ text, record }, { options }) {
    const found = readOption(text, { count: record.choices?.length ?? options ?? 26, choices: record.choices ?? [] })
    return found.type === 'letter' ? found.letter : undefined
  },
  judge({ text, record }, { options }) {
    const count = record.choices?.length ?? options ?? 26
    const letters = Array.from({ length: count }, (_, i) => String.fromCharCode(65 + i))
    const targets = targetIndexes(record.target, [letters, record.choices ?? []], count)
    if (targets.length === 0)
      throw new Error(
        `the target ${JSON.stringify(record.target)} is none of the options${severalHint(record.target, count)}`,
      )
    const option = readOption(text, { count, choices: record.choices ?? [] })
    if (option.type === 'none') return unparsed(option.reason)
    return scored(targets.includes(letters.indexOf(option.letter)) ? 1 : 0)
  },
})

/** Names the metric for several right options, if the target is a run of their letters. */
const severalHint = (target: Json, count: number): string =>
  typeof target === 'string' && parseLetters(target, count) !== undefined
    ? '. option_letters compares several right options'
    : ''

/**
 * 1 if the options that the answer names are exactly those of the target, else 0; with `score: f1` the harmonic mean of
 * precision and recall of the named options. Higher is better. An answer that names no option is unparsed and counts 0.
 *
 * The target is a list of letters, of indexes from 0 or of texts of choices, or a text such as `AC` or `A, C`. `options`
 * is the number of options if the doc has no choices. {@link readOptions} describes how the letters are found.
 */
export const optionLetters = defineMetric({
  id: 'option_letters',
  args: z.strictObject({
    options: z.int().min(2).max(26).optional(),
    score: z.enum(['exact', 'f1']).default('exact'),
  }),
  higherIsBetter: true,
  range: [0, 1],
  readAnswer({ text, record }, { options }) {
    const named = readOptions(text, { count: record.choices?.length ?? options ?? 26, choices: record.choices ?? [] })
    return named.length === 0 ? undefined : named.join('')
  },
  judge({ text, record }, { options, score }) {
    const count = record.choices?.length ?? options ?? 26
    const targets = parseTargets(record, count)
    const named = readOptions(text, { count, choices: record.choices ?? [] })
    if (named.length === 0) return unparsed('the answer names no option')
    const both = named.filter(letter => targets.includes(letter)).length
    const isEqual = both === targets.length && both === named.length
    return scored(score === 'exact' ? Number(isEqual) : (2 * both) / (named.length + targets.length))
  },
})

function parseTargets({ target, choices = [] }: JudgeRecord, count: number): readonly string[] {
  const letters = Array.from({ length: count }, (_, i) => String.fromCharCode(65 + i))
  const entries = isList(target) ? target : [target]
  const found = entries.flatMap(entry => {
    const indexes = targetIndexes(entry, [letters, choices], count)
    const own = indexes.map(index => letters[index] ?? '')
    const several = own.length > 0 || typeof entry !== 'string' ? own : (parseLetters(entry, count) ?? [])
    if (several.length === 0)
      throw new Error(`the target ${JSON.stringify(target)} names no options from A to ${letters.at(-1) ?? ''}`)
    return several
  })
  if (found.length === 0) throw new Error('the target names no options')
  return [...new Set(found)]
}
