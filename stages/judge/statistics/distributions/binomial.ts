/** The binomial distribution of `n` trials with probability `p`. */
import { incompleteBeta } from './beta.js'
import { binomialTerm } from './saddle-point.js'

/** Computes P(X = k). */
export function binomialPmf(k: number, n: number, p: number): number {
  if (k < 0 || k > n || !Number.isInteger(k)) return 0
  if (k === 0) return Math.exp(n * Math.log1p(-p))
  if (k === n) return Math.exp(n * Math.log(p))
  return binomialTerm(k, n - k, p, 1 - p)
}

/** Computes P(X ≤ k). */
export function binomialCdf(k: number, n: number, p: number): number {
  const whole = Math.floor(k)
  if (whole < 0) return 0
  return whole >= n ? 1 : incompleteBeta(n - whole, whole + 1, 1 - p, p)
}

/** Computes P(X > k). */
export function binomialSf(k: number, n: number, p: number): number {
  const whole = Math.floor(k)
  if (whole < 0) return 1
  return whole >= n ? 0 : incompleteBeta(whole + 1, n - whole, p, 1 - p)
}

/** Finds the smallest k with P(X ≤ k) ≥ `probability`. */
export function binomialQuantile(probability: number, n: number, p: number): number {
  let [low, high] = [-1, n]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (binomialCdf(middle, n, p) >= probability) high = middle
    else low = middle
  }
  return high
}
