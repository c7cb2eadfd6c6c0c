import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { passAtK as chance } from '../metrics/sampling/pass-at-k.js'
import { finite } from './classes/class-fold.js'

const counts = z.tuple([z.int().min(0), z.int().min(0)])

/**
 * The mean over docs of pass@k, in [0, 1], from `[samples, right ones among them]`.
 *
 * Source: Chen et al. 2021 (https://arxiv.org/abs/2107.03374), section 2.1.
 */
export const passAtK = defineAggregation({
  id: 'pass_at_k',
  of: 'folded',
  args: z.object({ k: z.int().min(1).default(1) }),
  start({ k }) {
    let docs = 0
    let total = 0
    return {
      add(value) {
        const parsed = counts.safeParse(value)
        if (!parsed.success || parsed.data[1] > parsed.data[0])
          throw new Error(`it takes [samples, right ones], not ${JSON.stringify(value).slice(0, 200)}`)
        const [n, c] = parsed.data
        docs += 1
        total += chance({ n, c, k })
      },
      finish: () => finite(total / docs),
    }
  },
})
