/** What the aggregations of numbers against numbers have in common. */
import { z } from 'zod'
import type { Fold } from '../../define-aggregation.js'
import { newDeviations, type Deviations } from '../../metrics/regression/deviations.js'
import { finite } from '../classes/class-fold.js'

const pair = z.tuple([z.number(), z.number()])

/** Sums over `[target, answer]`. */
export function deviationFold(value: (sums: Deviations) => number): Fold {
  const sums = newDeviations()
  return {
    add(given) {
      const parsed = pair.safeParse(given)
      if (!parsed.success)
        throw new Error(`it takes [target, answer], two numbers, not ${JSON.stringify(given).slice(0, 200)}`)
      sums.add(...parsed.data)
    },
    finish: () => finite(value(sums)),
  }
}
