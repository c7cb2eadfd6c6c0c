/** Number, mean and sum of squared distances from the mean: all that mean and deviation need, and it can be merged. */
export interface Moments {
  readonly n: number
  readonly mean: number
  readonly m2: number
}

export const noMoments: Moments = { n: 0, mean: 0, m2: 0 }

/** Source: Welford, Note on a Method for Calculating Corrected Sums of Squares and Products, 1962. */
export function momentsOf(values: Iterable<number>): Moments {
  let [n, mean, m2] = [0, 0, 0]
  for (const value of values) {
    n += 1
    const distance = value - mean
    mean += distance / n
    m2 += distance * (value - mean)
  }
  return { n, mean, m2 }
}

/** Source: Chan, Golub & LeVeque, Algorithms for Computing the Sample Variance, 1983. */
export function mergeMoments(a: Moments, b: Moments): Moments {
  const n = a.n + b.n
  if (n === 0) return noMoments
  const distance = b.mean - a.mean
  return { n, mean: a.mean + (distance * b.n) / n, m2: a.m2 + b.m2 + (distance * distance * a.n * b.n) / n }
}

/** Of the sample (n − 1); undefined below two values. */
export const standardDeviation = ({ n, m2 }: Moments): number | undefined =>
  n < 2 ? undefined : Math.sqrt(m2 / (n - 1))
