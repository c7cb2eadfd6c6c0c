/** What the aggregations of likelihoods by length have in common. */
import { z } from 'zod'
import type { Fold } from '../../define-aggregation.js'
import { finite } from '../classes/class-fold.js'

const pair = z.tuple([z.number(), z.number()])

/** Sums `[log-likelihood, length]`; `value` is of the log-likelihood for each unit of length. */
export function weightedFold(value: (mean: number) => number): Fold {
  let total = 0
  let lengths = 0
  return {
    add(given) {
      const parsed = pair.safeParse(given)
      if (!parsed.success)
        throw new Error(`it takes [log-likelihood, length], not ${JSON.stringify(given).slice(0, 200)}`)
      total += parsed.data[0]
      lengths += parsed.data[1]
    },
    finish: () => finite(value(total / lengths)),
  }
}
