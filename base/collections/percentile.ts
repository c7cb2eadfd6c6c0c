/**
 * Computes a percentile by linear interpolation between the two nearest ranks, rank q/100 · (n − 1) counted from 0.
 *
 * Source: NumPy, `numpy.percentile(x, q, method='linear')`; type 7 of Hyndman & Fan, Sample Quantiles in Statistical
 * Packages, 1996.
 *
 * @param sorted at least one value, in ascending order
 * @param percent 0 … 100
 */
export function interpolatePercentile(sorted: Float64Array, percent: number): number {
  const rank = (percent / 100) * (sorted.length - 1)
  const below = Math.floor(rank)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN
  const share = rank - below
  // Interpolating from the nearer end, as NumPy does, keeps the result within [low, high].
  return share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share)
}
