/** Aggregations that compare numbers: mean absolute and squared error, and R². */
import { z } from 'zod'
import { growingColumn } from '../../../base/collections/growing-column.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { meanFold } from '../aggregations/mean-fold.js'
import { defineAggregation, type Fold } from '../define/define-aggregation.js'
import { estimateMean } from '../statistics/intervals/mean.js'
import { collectTerms } from '../statistics/resampling/doc-terms.js'
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

/** Reads `[target, answer]`. @throws Error for anything but two numbers */
export function readNumbers(value: Json): readonly [gold: number, predicted: number] {
  const parsed = pair.safeParse(value)
  if (!parsed.success)
    throw new Error(`it takes [target, answer], two numbers, not ${JSON.stringify(value).slice(0, 200)}`)
  return parsed.data
}

const readDeviation =
  (measure: (difference: number) => number) =>
  (value: Json): number => {
    const [gold, predicted] = readNumbers(value)
    return measure(predicted - gold)
  }

/** R² of `[target, answer]` pairs. */
function r2Fold(): Fold {
  const sums = newDeviations()
  const [golds, errors] = [growingColumn(), growingColumn()]
  return {
    add(value) {
      const [gold, predicted] = readNumbers(value)
      sums.add(gold, predicted)
      golds.push(gold)
      errors.push((predicted - gold) ** 2)
    },
    finish: () => finite(sums.r2()),
    resample() {
      const terms = collectTerms()
      const values = golds.values()
      // Deviations from a number near the mean avoid cancellation.
      const centre = estimateMean(values)?.mean ?? 0
      for (const [at, gold] of values.entries()) terms.add([1, gold - centre, (gold - centre) ** 2, errors.at(at)])
      return {
        terms,
        combine({ 0: n = 0, 1: sum = 0, 2: squares = 0, 3: squared = 0 }) {
          const spread = squares - (sum * sum) / n
          return spread > 1e-12 * squares ? 1 - squared / spread : Number.NaN
        },
      }
    },
  }
}

/** The mean of |answer − target|, from `[target, answer]`. Source: scikit-learn 1.9.1, `mean_absolute_error`. */
export const meanAbsoluteError = defineAggregation({
  id: 'mean_absolute_error',
  of: 'folded',
  args: z.object({}),
  start: () => meanFold(readDeviation(Math.abs)),
})

/** The mean of (answer − target)², from `[target, answer]`. Source: scikit-learn 1.9.1, `mean_squared_error`. */
export const meanSquaredError = defineAggregation({
  id: 'mean_squared_error',
  of: 'folded',
  args: z.object({}),
  start: () => meanFold(readDeviation(difference => difference ** 2)),
})

/**
 * The share of the targets' variance that the answers explain, at most 1, from `[target, answer]`.
 * Source: scikit-learn 1.9.1, `r2_score`.
 */
export const r2 = defineAggregation({
  id: 'r2',
  of: 'folded',
  args: z.object({}),
  start: r2Fold,
})
