import { z } from 'zod'
import { defineMetric, scored } from '../../define-metric.js'
import { bleuOptions, bleuFraction, withShortestReference } from './bleu-statistics.js'
import { bleuStatistics } from '../sacrebleu/bleu.js'

/**
 * BLEU as evaluate's `bleu` has it, in [0, 1]: without smoothing unless `smooth`, and brevity by the shortest reference. A doc's value is
 * its sufficient statistics and its own `score`; the aggregate is the corpus's. Higher is better.
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
