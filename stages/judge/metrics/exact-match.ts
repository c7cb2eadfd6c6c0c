import { z } from 'zod'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { defineMetric, scored, unparsed, type MetricInput, type Verdict } from '../define/define-metric.js'
import { targetIndexes } from '../define/target.js'
import { containsWords } from '../text/word-edges.js'
import { plainText, textRules } from './text-rules.js'

const args = z.strictObject({
  /** True to remove white space at both ends of answer and reference before all other changes. */
  strip: z.boolean().default(true),
  ...textRules,
})

/**
 * 1 if the answer equals any reference, else 0. Higher is better.
 *
 * Both sides are changed in the order of the options above. `strip: false` is the comparison of
 * lm-evaluation-harness, whose filters trim the answer before. For log-likelihoods it is 1 if greedy decoding gives
 * a correct choice.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, exact_match_hf_evaluate; `api/task.py`, process_results.
 */
export const exactMatch = defineMetric({
  id: 'exact_match',
  args,
  higherIsBetter: true,
  range: [0, 1],
  reads: 'any',
  needsTimeLimit: false,
  judge(input, options) {
    if (input.bodies[0]?.logprob !== undefined) return judgeGreedy(input)
    const { text, references, parity } = input
    const answer = normalise(text, options)
    // lmms-eval trims the answer and not the reference.
    const strip = options.strip && parity !== 'lmms-eval'
    const isEqual = (reference: string): boolean => normalise(reference, { ...options, strip }) === answer
    return scored(references.some(isEqual) ? 1 : 0)
  },
})

function judgeGreedy({ record: { target, choices = [] }, bodies }: MetricInput): Verdict {
  const golds = targetIndexes(target, [choices], choices.length)
  if (golds.length === 0) return unparsed(`the target ${JSON.stringify(target)} is none of the choices`)
  const greedy = golds.map(gold => bodies[gold]?.isGreedy)
  if (greedy.includes(undefined))
    throw new Error('the answers do not say whether a choice is what greedy decoding gives')
  return scored(greedy.includes(true) ? 1 : 0)
}

const normalise = (text: string, options: z.output<typeof args>): string =>
  plainText(options.strip ? stripWhiteSpace(text) : text, options)

/** Writes letters of two characters (é) as one, typographic quotes and hyphens as in ASCII, and a run of white space as one space. */
const foldSigns = (text: string): string =>
  /[^\x20-\x7e]| {2}/.test(text)
    ? text.normalize('NFC').replace(/[‘’ʼ]/g, "'").replace(/[“”]/g, '"').replace(/[‐‑]/g, '-').replace(/\s+/g, ' ')
    : text

/**
 * 1 if the answer contains a reference, else 0. Higher is better.
 *
 * With `whole_words`, the default, no letter or digit may touch the reference, so that "no" is not found in
 * "nothing". Scripts without spaces between words have no such boundary. Line breaks count as spaces,
 * and typographic quotes and hyphens as those of ASCII. `require: all` needs every reference. An empty reference is an error of the doc, since every answer
 * contains it.
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
    const fold = (value: string): string => foldSigns(ignoreCase ? value.toLowerCase() : value)
    const answer = fold(text)
    const isThere = (reference: string): boolean => {
      const sought = fold(stripWhiteSpace(reference))
      if (sought === '') throw new Error('the reference is empty: every answer contains it')
      return wholeWords ? containsWords(answer, sought) : answer.includes(sought)
    }
    return scored((require === 'all' ? references.every(isThere) : references.some(isThere)) ? 1 : 0)
  },
})
