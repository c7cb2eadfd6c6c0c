import { z } from 'zod'
import { pythonPattern } from '../../python-pattern.js'
import { withoutPunctuation } from '../../text/unicode-14.js'

/** What is passed over where an answer is compared with the texts of options. */
export const ignoring = {
  ignore_case: z.boolean().default(false),
  /** All characters of Unicode's categories P. */
  ignore_punctuation: z.boolean().default(false),
  /** Python patterns whose matches are dropped first, one after the other. */
  regexes_to_ignore: z.array(pythonPattern).nullish(),
}

export interface Ignoring {
  readonly ignore_case: boolean
  readonly ignore_punctuation: boolean
  readonly regexes_to_ignore?: readonly RegExp[] | null | undefined
}

export function plainForm(text: string, options: Ignoring): string {
  let plain = text
  for (const pattern of options.regexes_to_ignore ?? []) plain = plain.replace(pattern, '')
  if (options.ignore_case) plain = plain.toLowerCase()
  return options.ignore_punctuation ? withoutPunctuation(plain) : plain
}

/** A regular expression that matches `text` itself. */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
