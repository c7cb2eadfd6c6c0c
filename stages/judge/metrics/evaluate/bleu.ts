import { z } from 'zod'
import { splitWhiteSpace } from '../../../../base/python/white-space.js'
import { sumFold } from '../../aggregations/sum-fold.js'
import { defineAggregation } from '../../define/define-aggregation.js'
import { defineMetric, scored } from '../../define/define-metric.js'
import { bleuSegment } from '../../text/translation-tokenizers.js'
import { bleuStatistics, bleuTerms, type BleuOptions, type BleuStatistics } from '../sacrebleu/bleu.js'
import { checkOrders } from '../sacrebleu/corpus-fold.js'

/**
 * BLEU of evaluate's `bleu`, in [0, 1]: unsmoothed unless `smooth` is set, with the brevity penalty by the shortest
 * reference. A doc's value is its sufficient statistics and its own `score`; the aggregate is the corpus's. Higher
 * is better.
 *
 * Source: Papineni et al. (2002), as evaluate 0.4.6 computes it, `metrics/bleu/nmt_bleu.py`; words by mteval-v13a.
 */
export const bleu = defineMetric({
  id: 'bleu',
  args: z.strictObject({ max_order: z.int().min(1).default(4), smooth: z.boolean().default(false) }),
  higherIsBetter: true,
  range: [0, 1],
  aggregation: 'evaluate_bleu',
  judge({ text, references }, { max_order: order, smooth }) {
    const options = bleuOptions(order)
    const statistics = withShortestReference(bleuStatistics(text, references, options), references, options)
    return scored({ score: bleuFraction(statistics, smooth), ...statistics })
  },
})

const numbers = z.array(z.number())
const statistics = z.object({ counts: numbers, totals: numbers, sys_len: z.number(), ref_len: z.number() })

/**
 * BLEU of all docs as one corpus, in [0, 1], from the values of `bleu` with `hf_evaluate`.
 * Source: evaluate 0.4.6, `metrics/bleu`.
 */
export const evaluateBleuAggregation = defineAggregation({
  id: 'evaluate_bleu',
  of: 'folded',
  args: z.object({ smooth: z.boolean().default(false) }),
  start({ smooth }) {
    let orders: number | undefined
    return sumFold({
      read(value) {
        const parsed = statistics.safeParse(value)
        if (!parsed.success) throw new Error(`it takes what bleu gives, not ${JSON.stringify(value).slice(0, 200)}`)
        orders ??= parsed.data.counts.length
        checkOrders(parsed.data.counts.length, orders)
        return bleuTerms.list(parsed.data)
      },
      combine: sums => bleuFraction(bleuTerms.read(sums), smooth),
    })
  },
})

/** Options with which sacrebleu's counts equal those of evaluate. */
const bleuOptions = (order: number): BleuOptions => ({
  lowercase: false,
  tokenize: '13a',
  smooth_method: 'none',
  smooth_value: undefined,
  max_ngram_order: order,
  effective_order: false,
})

/** Replaces the length of the nearest reference by that of the shortest. */
function withShortestReference(
  statistics: BleuStatistics,
  references: readonly string[],
  { tokenize, lowercase }: BleuOptions,
): BleuStatistics {
  const lengths = references.map(reference => splitWhiteSpace(bleuSegment(reference, tokenize, lowercase)).length)
  return { ...statistics, ref_len: Math.min(...lengths) }
}

/**
 * BLEU of summed statistics, in [0, 1]; 0 if an order has no match. `smooth` adds one to the matches and n-grams of
 * each order.
 */
function bleuFraction({ counts, totals, sys_len, ref_len }: BleuStatistics, smooth: boolean): number {
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
