/** Aggregations that compare numbers: mean absolute and squared error, and R². */
import { z } from 'zod'
import { defineAggregation, type Fold } from '../define/define-aggregation.js'
import { finite } from './classification/classes.js'

/**
 * Running statistics of predicted and gold numbers.
 *
 * Source: scikit-learn 1.9.1, `mean_absolute_error`, `mean_squared_error`, `r2_score`.
 */
export interface Deviations {
  add(gold: number, predicted: number): void
  /** The mean of |predicted − gold|. */
  meanAbsolute(): number
  /** The mean of (predicted − gold)². */
  meanSquared(): number
  /**
   * R²: 1 − the squared errors over the squared deviations from the mean gold value; at most 1. NaN for fewer than
   * two numbers. If all gold values are equal, it is 1 without errors, else 0.
   */
  r2(): number
}

/** Keeps running sums. The variance of the gold values uses Welford's method, which avoids cancellation. */
export function newDeviations(): Deviations {
  let n = 0
  let absolute = 0
  let squared = 0
  let mean = 0
  let spread = 0
  return {
    add(gold, predicted) {
      n += 1
      absolute += Math.abs(predicted - gold)
      squared += (predicted - gold) ** 2
      const before = gold - mean
      mean += before / n
      spread += before * (gold - mean)
    },
    meanAbsolute: () => absolute / n,
    meanSquared: () => squared / n,
    r2() {
      if (n < 2) return NaN
      if (spread === 0) return squared === 0 ? 1 : 0
      return 1 - squared / spread
    },
  }
}

const pair = z.tuple([z.number(), z.number()])

/** Sums over `[target, answer]` pairs. */
function deviationFold(value: (sums: Deviations) => number): Fold {
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

/** The mean of |answer − target|, from `[target, answer]`. Source: scikit-learn 1.9.1, `mean_absolute_error`. */
export const meanAbsoluteError = defineAggregation({
  id: 'mean_absolute_error',
  of: 'folded',
  args: z.object({}),
  start: () => deviationFold(sums => sums.meanAbsolute()),
})

/** The mean of (answer − target)², from `[target, answer]`. Source: scikit-learn 1.9.1, `mean_squared_error`. */
export const meanSquaredError = defineAggregation({
  id: 'mean_squared_error',
  of: 'folded',
  args: z.object({}),
  start: () => deviationFold(sums => sums.meanSquared()),
})

/**
 * The share of the targets' variance that the answers explain, at most 1, from `[target, answer]`.
 * Source: scikit-learn 1.9.1, `r2_score`.
 */
export const r2 = defineAggregation({
  id: 'r2',
  of: 'folded',
  args: z.object({}),
  start: () => deviationFold(sums => sums.r2()),
})
