import { z } from 'zod'
import { stripWhiteSpace } from '../../../base/white-space.js'
import { defineMetric, scored } from '../define-metric.js'
import { pythonPattern } from '../python-pattern.js'

const args = z.strictObject({
  /** Drops white space at both ends of answer and reference, before all else. */
  strip: z.boolean().default(true),
  /** Python patterns whose matches are dropped, one after the other. */
  regexes_to_ignore: z.array(pythonPattern).nullish(),
  ignore_case: z.boolean().default(false),
  /** Drops the 32 punctuation characters of ASCII. */
  ignore_punctuation: z.boolean().default(false),
  /** Drops the digits 0 to 9. */
  ignore_numbers: z.boolean().default(false),
})

/**
 * 1 where the answer equals any reference, else 0. Higher is better.
 *
 * Both sides are changed in the order of the options above. With `strip: false` it is the reference's own comparison,
 * which trims nothing; its harness has trimmed the answer before.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, exact_match_hf_evaluate.
 */
export const exactMatch = defineMetric({
  id: 'exact_match',
  args,
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references }, options) {
    const answer = normalise(text, options)
    return scored(references.some(reference => normalise(reference, options) === answer) ? 1 : 0)
  },
})

function normalise(text: string, options: z.output<typeof args>): string {
  let result = options.strip ? stripWhiteSpace(text) : text
  for (const pattern of options.regexes_to_ignore ?? []) result = result.replace(pattern, '')
  if (options.ignore_case) result = result.toLowerCase()
  if (options.ignore_punctuation) result = result.replace(/[!-/:-@[-`{-~]/g, '')
  if (options.ignore_numbers) result = result.replace(/[0-9]/g, '')
  return result
}
