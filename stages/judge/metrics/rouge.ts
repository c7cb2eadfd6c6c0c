import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { bestGoogleRouge, rougeVariants } from './rouge/google-rouge.js'

/**
 * ROUGE, in [0, 1]: n-grams (`rouge1` … `rouge9`) or the longest common subsequence of words (`rougeL`; line by line `rougeLsum`) of answer and
 * reference, the best of several references. `of` says whether precision, recall or their harmonic mean. Higher is better.
 *
 * Words are runs of ASCII letters and digits, whatever their case: in other scripts there is nothing to compare, and the value is 0.
 *
 * Source: Lin (2004), as rouge-score 0.1.2 computes it, `RougeScorer.score_multi`.
 */
export const rouge = defineMetric({
  id: 'rouge',
  args: z.strictObject({
    variant: z.enum(rougeVariants).default('rougeL'),
    use_stemmer: z.boolean().default(false),
    of: z.enum(['fmeasure', 'precision', 'recall']).default('fmeasure'),
  }),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references }, { variant, use_stemmer: useStemmer, of }) {
    return scored(bestGoogleRouge(text, references, { variant, useStemmer })[of])
  },
})
