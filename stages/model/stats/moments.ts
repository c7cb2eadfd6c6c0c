/** Number, mean and sum of squared distances from the mean: all that mean and deviation need, and it can be merged. */
export interface Moments {
  readonly n: number
  readonly mean: number
  /** What a number as large as the mean could not hold of it: means that lie close together far from 0 differ by this. */
  readonly rest: number
  readonly m2: number
}

export const noMoments: Moments = { n: 0, mean: 0, rest: 0, m2: 0 }

/**
 * Measured from the first value, so that values close together far from 0 lose nothing.
 *
 * Source: Welford, Note on a Method for Calculating Corrected Sums of Squares and Products, 1962.
 */
export function momentsOf(values: Iterable<number>): Moments {
  let [n, first, mean, m2] = [0, 0, 0, 0]
  for (const value of values) {
    if (n === 0) first = value
    n += 1
    const distance = value - first - mean
    mean += distance / n
    m2 += distance * (value - first - mean)
  }
  return { n, ...added(first, mean), m2 }
}

/** Source: Chan, Golub & LeVeque, Algorithms for Computing the Sample Variance, 1983. */
export function mergeMoments(a: Moments, b: Moments): Moments {
  if (a.n === 0) return b
  if (b.n === 0) return a
  const n = a.n + b.n
  const distance = b.mean - a.mean + (b.rest - a.rest)
  return {
    n,
    ...added(a.mean, a.rest + (distance * b.n) / n),
    m2: a.m2 + b.m2 + (distance * distance * a.n * b.n) / n,
  }
}

/** Of the sample (n − 1); undefined below two values. */
export const standardDeviation = ({ n, m2 }: Moments): number | undefined =>
  n < 2 ? undefined : Math.sqrt(m2 / (n - 1))

/** A sum and what rounding took from it. Source: Dekker, A Floating-Point Technique for Extending the Available Precision, 1971. */
function added(large: number, small: number): Pick<Moments, 'mean' | 'rest'> {
  const mean = large + small
  return { mean, rest: large - mean + small }
}
