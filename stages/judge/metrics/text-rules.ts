/** Options for what a comparison of two texts ignores, named as in lm-evaluation-harness and the package `evaluate`. */
import { z } from 'zod'
import { messageOf } from '../../../base/errors/errors.js'
import { pythonRegex } from '../../../base/python/python-regex.js'

/** An argument that is a Python regular expression. It is compiled once, with the flag `g`. */
export const pythonPattern = z.string().transform((pattern, context) => {
  try {
    return pythonRegex(pattern, 'g')
  } catch (error) {
    context.addIssue({ code: 'custom', message: `not a regular expression: ${messageOf(error)}` })
    return z.NEVER
  }
})

export const textRules = {
  /** Python patterns whose matches are removed, one pattern after the other. */
  regexes_to_ignore: z.array(pythonPattern).nullish(),
  ignore_case: z.boolean().default(false),
  /** True to remove the 32 punctuation characters of ASCII. */
  ignore_punctuation: z.boolean().default(false),
  /** True to remove the digits 0 to 9. */
  ignore_numbers: z.boolean().default(false),
}

export const textRulesSchema = z.object(textRules)

export type TextRules = z.output<typeof textRulesSchema>

/**
 * Removes what is ignored from a text, in the order of the options.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, exact_match_hf_evaluate.
 */
export function plainText(text: string, rules: TextRules): string {
  let result = text
  for (const pattern of rules.regexes_to_ignore ?? []) result = result.replace(pattern, '')
  if (rules.ignore_case) result = result.toLowerCase()
  if (rules.ignore_punctuation) result = result.replace(/[!-/:-@[-`{-~]/g, '')
  if (rules.ignore_numbers) result = result.replace(/[0-9]/g, '')
  return result
}
