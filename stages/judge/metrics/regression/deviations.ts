/**
 * Numbers against numbers.
 *
 * Source: scikit-learn 1.9.1, `mean_absolute_error`, `mean_squared_error`, `r2_score`.
 */
export interface Deviations {
  add(gold: number, predicted: number): void
  /** The mean of |predicted − gold|. */
  meanAbsolute(): number
  /** The mean of (predicted − gold)². */
  meanSquared(): number
  /** 1 − their squares over those around the mean gold value: at most 1. NaN for fewer than two; where the golds are all equal 1 or 0. */
  r2(): number
}

/** Running sums; the golds' spread by Welford's method, which does not cancel. */
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
