import { interpolatePercentile } from '../../../base/collections/percentile.js'

/** The distribution of one figure over requests. */
export interface Distribution {
  /** The number of requests that have the figure. */
  readonly n: number
  readonly mean: number
  /** The standard deviation. Absent for a single request. */
  readonly sd?: number
  readonly min: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
  /** The histogram makes distributions of several runs addable, which percentiles are not. */
  readonly histogram: Histogram
}

/** Bounds in milliseconds from 0.1 ms to 10,000 s, five in each decade. They are the same for every run. */
const bounds = logBounds(0.1, 1e7, 5)

/**
 * @param values sorted in place, in ascending order
 * @returns undefined if there are no values
 */
export function distribution(values: Float64Array): Distribution | undefined {
  if (values.length === 0) return undefined
  const moments = computeMoments(values)
  const sorted = values.sort()
  const sd = standardDeviation(moments)
  const at = (percent: number): number => interpolatePercentile(sorted, percent)
  return {
    n: moments.n,
    mean: moments.mean,
    ...(sd === undefined ? {} : { sd }),
    min: at(0),
    p50: at(50),
    p90: at(90),
    p99: at(99),
    max: at(100),
    histogram: computeHistogram(sorted, bounds),
  }
}

/**
 * The number, mean and sum of squared distances from the mean. The mean and deviation follow from them, and they can be
 * merged.
 */
export interface Moments {
  readonly n: number
  readonly mean: number
  /**
   * The rounding error of `mean`. Without it, the difference of two means that are close together and far from 0 would
   * be lost.
   */
  readonly rest: number
  readonly m2: number
}

/**
 * Computes the moments of values. Distances are measured from the first value, so that values close together and far
 * from 0 lose no precision.
 *
 * Source: Welford, Note on a Method for Calculating Corrected Sums of Squares and Products, 1962.
 */
export function computeMoments(values: Iterable<number>): Moments {
  let [n, first, mean, m2] = [0, 0, 0, 0]
  for (const value of values) {
    if (n === 0) first = value
    n += 1
    const distance = value - first - mean
    mean += distance / n
    m2 += distance * (value - first - mean)
  }
  return { n, ...addWithRest(first, mean), m2 }
}

/** Merges two moments. Source: Chan, Golub & LeVeque, Algorithms for Computing the Sample Variance, 1983. */
export function mergeMoments(a: Moments, b: Moments): Moments {
  if (a.n === 0) return b
  if (b.n === 0) return a
  const n = a.n + b.n
  const distance = b.mean - a.mean + (b.rest - a.rest)
  return {
    n,
    ...addWithRest(a.mean, a.rest + (distance * b.n) / n),
    m2: a.m2 + b.m2 + (distance * distance * a.n * b.n) / n,
  }
}

/** The sample's standard deviation (n − 1). Undefined below two values. */
export const standardDeviation = ({ n, m2 }: Moments): number | undefined =>
  n < 2 ? undefined : Math.sqrt(m2 / (n - 1))

/** Adds with the rounding error. Source: Dekker, A Floating-Point Technique for Extending the Available Precision, 1971. */
function addWithRest(large: number, small: number): Pick<Moments, 'mean' | 'rest'> {
  const mean = large + small
  return { mean, rest: large - mean + small }
}

/** Counts of values between bounds. Histograms with the same bounds can be added, over processes, shards and runs. */
export interface Histogram {
  /** Upper bounds in ascending order. A value that equals a bound counts below it. */
  readonly le: readonly number[]
  /** The counts, one more than there are bounds. The last one counts the values above all bounds. */
  readonly counts: readonly number[]
  readonly sum: number
}

/** Makes upper bounds from `low` to `high`, evenly spaced on a logarithmic scale. */
function logBounds(low: number, high: number, perDecade: number): readonly number[] {
  const steps = Math.round(Math.log10(high / low) * perDecade)
  return Array.from({ length: steps + 1 }, (_, step) => Number((low * 10 ** (step / perDecade)).toPrecision(3)))
}

export function computeHistogram(values: Iterable<number>, le: readonly number[]): Histogram {
  const counts = new Array<number>(le.length + 1).fill(0)
  let sum = 0
  for (const value of values) {
    const index = findBucket(value, le)
    counts[index] = (counts[index] ?? 0) + 1
    sum += value
  }
  return { le, counts, sum }
}

function findBucket(value: number, le: readonly number[]): number {
  let [low, high] = [0, le.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (value <= (le[middle] ?? Infinity)) high = middle
    else low = middle + 1
  }
  return low
}

/** @throws RangeError if the bounds differ, because such counts cannot be added */
export function mergeHistograms(a: Histogram, b: Histogram): Histogram {
  if (a.le.length !== b.le.length || a.le.some((bound, index) => bound !== b.le[index]))
    throw new RangeError('histograms of different bounds cannot be merged')
  return { le: a.le, counts: a.counts.map((count, index) => count + (b.counts[index] ?? 0)), sum: a.sum + b.sum }
}

/**
 * Estimates the value below which the share `q` of all values lies. It interpolates linearly within a bucket, whose
 * lower end is the previous bound (0 for the first). Above all bounds, it returns the last bound.
 *
 * Source: Prometheus, `histogram_quantile`.
 *
 * @param q 0 … 1
 * @returns undefined if the histogram is empty
 */
export function histogramQuantile({ le, counts }: Histogram, q: number): number | undefined {
  const rank = q * counts.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [index, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const upper = le[index]
      if (upper === undefined) return le.at(-1)
      const lower = index === 0 ? 0 : (le[index - 1] ?? 0)
      return lower + ((upper - lower) * (rank - below)) / count
    }
    below += count
  }
  return undefined
}
