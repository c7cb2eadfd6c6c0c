import { z } from 'zod'
import { stripWhiteSpace } from '../../../base/white-space.js'
import { defineMetric, scored } from '../define-metric.js'

/**
 * 1 where a reference stands somewhere in the answer, else 0. Higher is better.
 *
 * `whole_words` (on unless switched off) takes a reference only where no letter or digit touches it, so that "no" is not found in
 * "nothing". `require: all` asks for every reference. An empty reference is in every answer, so it is an error of the doc.
 */
export const contains = defineMetric({
  id: 'contains',
  args: z.strictObject({
    ignore_case: z.boolean().default(false),
    whole_words: z.boolean().default(true),
    require: z.enum(['any', 'all']).default('any'),
  }),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references }, { ignore_case: ignoreCase, whole_words: wholeWords, require }) {
    const fold = (value: string): string => (ignoreCase ? value.toLowerCase() : value)
    const answer = fold(text)
    const isThere = (reference: string): boolean => {
      const sought = fold(stripWhiteSpace(reference))
      if (sought === '') throw new Error('the reference is empty: every answer contains it')
      return wholeWords ? containsWords(answer, sought) : answer.includes(sought)
    }
    return scored((require === 'all' ? references.every(isThere) : references.some(isThere)) ? 1 : 0)
  },
})

function containsWords(answer: string, sought: string): boolean {
  for (let at = answer.indexOf(sought); at >= 0; at = answer.indexOf(sought, at + 1)) {
    const before = /[\p{L}\p{N}]$/u.test(answer.slice(0, at)) && /^[\p{L}\p{N}]/u.test(sought)
    const after = /^[\p{L}\p{N}]/u.test(answer.slice(at + sought.length)) && /[\p{L}\p{N}]$/u.test(sought)
    if (!before && !after) return true
  }
  return false
}
