import { z } from 'zod'
import { defineMetric, scored, unparsed } from '../define/define-metric.js'
import { targetIndexes } from '../define/target.js'
import { readOption } from '../helpers/options/read-option.js'

/**
 * 1 if the option that the answer names is the target, else 0. Higher is better. An answer that names no option, or
 * several without a preference, is unparsed and counts 0.
 *
 * `options` is the number of options if the doc has no choices. The target is a letter, an index from 0, or a
 * choice's text. {@link readOption} describes how the letter is found.
 */
export const optionLetter = defineMetric({
  id: 'option_letter',
  args: z.strictObject({ options: z.int().min(2).max(26).optional() }),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, record }, { options }) {
    const count = record.choices?.length ?? options ?? 26
    const option = readOption(text, { count, choices: record.choices ?? [] })
    if (option.type === 'none') return unparsed(option.reason)
    const letters = Array.from({ length: count }, (_, i) => String.fromCharCode(65 + i))
    const targets = targetIndexes(record.target, [letters, record.choices ?? []], count)
    if (targets.length === 0) throw new Error(`the target ${JSON.stringify(record.target)} is none of the options`)
    return scored(targets.includes(letters.indexOf(option.letter)) ? 1 : 0)
  },
})
