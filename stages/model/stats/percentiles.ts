/**
 * Percentiles by linear interpolation between the two nearest ranks, rank q/100 · (n − 1) counted from 0.
 *
 * Source: NumPy, `numpy.percentile(x, q, method='linear')`; type 7 of Hyndman & Fan, Sample Quantiles in Statistical
 * Packages, 1996.
 *
 * @param values in any order
 * @param percents 0 … 100
 * @returns undefined where there are no values
 */
export function percentiles(values: Iterable<number>, percents: readonly number[]): readonly number[] | undefined {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) return undefined
  return percents.map(percent => percentileOf(sorted, percent))
}

/** Of values in ascending order, at least one. */
export function percentileOf(sorted: Float64Array, percent: number): number {
  const rank = (percent / 100) * (sorted.length - 1)
  const below = Math.floor(rank)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN
  const share = rank - below
  // From the nearer end, as NumPy does, so that the result never leaves [low, high].
  return share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share)
}
