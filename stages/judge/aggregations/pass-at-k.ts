import { z } from 'zod'
import { defineAggregation } from '../define/define-aggregation.js'
import { meanFold } from './mean-fold.js'

const counts = z.tuple([z.int().min(0), z.int().min(0)])

/**
 * The mean over docs of pass@k, in [0, 1]. The values are `[samples, correct samples]`.
 *
 * Source: Chen et al. 2021 (https://arxiv.org/abs/2107.03374), section 2.1.
 */
export const passAtKAggregation = defineAggregation({
  id: 'pass_at_k',
  of: 'folded',
  args: z.object({ k: z.int().min(1).default(1) }),
  start: ({ k }) =>
    meanFold(
      value => {
        const parsed = counts.safeParse(value)
        if (!parsed.success || parsed.data[1] > parsed.data[0])
          throw new Error(`it takes [samples, right ones], not ${JSON.stringify(value).slice(0, 200)}`)
        const [n, c] = parsed.data
        return passAtK({ n, c, k })
      },
      [0, 1],
    ),
})

/**
 * The unbiased estimate of pass@k, in [0, 1]: 1 − C(n−c, k) / C(n, k). It is the probability that at least one of
 * `k` samples is right, if they are drawn from `n` samples of which `c` are right.
 *
 * Source: Chen et al. 2021 (https://arxiv.org/abs/2107.03374), section 2.1.
 *
 * @throws RangeError if there are fewer than `k` samples.
 */
export function passAtK({ n, c, k }: { readonly n: number; readonly c: number; readonly k: number }): number {
  if (k > n) throw new RangeError(`pass@${k} needs ${k} samples, and there are ${n}`)
  if (n - c < k) return 1
  let allWrong = 1
  for (let i = n - c + 1; i <= n; i++) allWrong *= 1 - k / i
  return 1 - allWrong
}
