import { splitWhiteSpace } from '../../../../base/white-space.js'
import { bleuSegment } from '../../text/bleu-tokenizers.js'
import type { BleuOptions, BleuStatistics } from '../sacrebleu/bleu.js'

/** What sacrebleu's counts are taken with, so that they are evaluate's. */
export const bleuOptions = (order: number): BleuOptions => ({
  lowercase: false,
  tokenize: '13a',
  smooth_method: 'none',
  smooth_value: undefined,
  max_ngram_order: order,
  effective_order: false,
})

/** The length of the shortest reference in place of the nearest one's. */
export function withShortestReference(
  statistics: BleuStatistics,
  references: readonly string[],
  { tokenize, lowercase }: BleuOptions,
): BleuStatistics {
  const lengths = references.map(reference => splitWhiteSpace(bleuSegment(reference, tokenize, lowercase)).length)
  return { ...statistics, ref_len: Math.min(...lengths) }
}

/** BLEU of summed statistics, in [0, 1]; 0 where one order has no match. `smooth` adds one to matches and n-grams of each order. */
export function bleuFraction({ counts, totals, sys_len, ref_len }: BleuStatistics, smooth: boolean): number {
  const added = smooth ? 1 : 0
  const precisions = counts.map((count, i) => {
    const total = (totals[i] ?? 0) + added
    return total === 0 ? 0 : (count + added) / total
  })
  if (sys_len === 0 || ref_len === 0 || precisions.some(precision => precision === 0)) return 0
  const logs = precisions.reduce((sum, precision) => sum + Math.log(precision) / precisions.length, 0)
  const brevity = sys_len > ref_len ? 1 : Math.exp(1 - ref_len / sys_len)
  return brevity * Math.exp(logs)
}
