import { z } from 'zod'
import { bare, defineAggregation } from '../define-aggregation.js'
import { bleuFraction } from '../metrics/evaluate/bleu-statistics.js'
import type { BleuStatistics } from '../metrics/sacrebleu/bleu.js'
import { plusEach } from '../metrics/sacrebleu/corpus-fold.js'

const numbers = z.array(z.number())
const statistics = z.object({ counts: numbers, totals: numbers, sys_len: z.number(), ref_len: z.number() })

/** BLEU of all docs as one corpus, in [0, 1], from what `bleu` with `hf_evaluate` gives. Source: evaluate 0.4.6, `metrics/bleu`. */
export const evaluateBleu = defineAggregation({
  id: 'evaluate_bleu',
  of: 'folded',
  args: z.object({ smooth: z.boolean().default(false) }),
  start({ smooth }) {
    let total: BleuStatistics | undefined
    return {
      add(value) {
        const parsed = statistics.safeParse(value)
        if (!parsed.success) throw new Error(`it takes what bleu gives, not ${JSON.stringify(value).slice(0, 200)}`)
        const { counts, totals, sys_len, ref_len } = parsed.data
        total =
          total === undefined
            ? parsed.data
            : {
                counts: plusEach(total.counts, counts),
                totals: plusEach(total.totals, totals),
                sys_len: total.sys_len + sys_len,
                ref_len: total.ref_len + ref_len,
              }
      },
      finish: () => bare(total === undefined ? null : bleuFraction(total, smooth)),
    }
  },
})
