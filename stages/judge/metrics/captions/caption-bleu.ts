import { bleuStatistics, type BleuStatistics } from '../sacrebleu/bleu.js'

/** For words between white space. @throws Error where there is no reference. */
export const captionBleuStatistics = (answer: string, references: readonly string[]): BleuStatistics =>
  bleuStatistics(answer, references, plain)

const plain = {
  tokenize: 'none',
  lowercase: false,
  max_ngram_order: 4,
  smooth_method: 'none',
  smooth_value: null,
  effective_order: false,
} as const

/** Added to matches and n-grams, so that nothing is divided by 0: a score is never quite 0. */
const [tiny, small] = [1e-15, 1e-9]

/**
 * BLEU-1 to BLEU-4, in [0, 1], of one caption's statistics or of their sums.
 *
 * Source: Papineni et al. (2002), as pycocoevalcap 1.2, `bleu/bleu_scorer.py`, with the length of the nearest reference.
 */
export function captionBleu({ counts, totals, sys_len, ref_len }: BleuStatistics): readonly number[] {
  const ratio = (sys_len + tiny) / (ref_len + small)
  const brevity = ratio < 1 ? Math.exp(1 - 1 / ratio) : 1
  let product = 1
  return counts.map((count, i) => {
    product *= (count + tiny) / ((totals[i] ?? 0) + small)
    return product ** (1 / (i + 1)) * brevity
  })
}
