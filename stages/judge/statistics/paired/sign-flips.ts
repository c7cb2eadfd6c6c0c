/** Permutation tests of paired differences: under the null hypothesis the sign of each difference is a coin toss. */
import { createSeededRandom } from '../../../../base/values/seeded-random.js'
import { checkClusters, numberClusters } from '../clusters/number-clusters.js'
import { binomialPmf } from '../distributions/binomial.js'
import type { NoResult } from '../intervals/interval.js'

/** The share of sign patterns whose sum is at least as extreme as the observed one. */
export interface SignFlipTest {
  /** The two-sided p value, which counts the observed pattern: (count + 1) / (patterns + 1) for drawn patterns. */
  readonly p: number
  /** The one-sided p value for a positive difference. */
  readonly pGreater: number
  /** Drawn patterns at least as extreme either way, and in the positive direction. Absent for an exact test. */
  readonly asExtreme?: number
  readonly asExtremeGreater?: number
}

/** Sums within this share of Σ|d| of the observed one count as equal to it. */
const rounding = 1e-12

/**
 * Tests differences with given sign patterns, each a list of 1 and −1.
 *
 * Source: Phipson and Smyth, "Permutation P-values Should Never Be Zero", Statistical Applications in Genetics and
 * Molecular Biology 9 (2010).
 */
export function testWithFlips(differences: ArrayLike<number>, flips: Iterable<ArrayLike<number>>): SignFlipTest {
  const { sum: observed, slack } = sumUp(differences)
  let [patterns, asExtreme, asExtremeGreater] = [0, 0, 0]
  for (const signs of flips) {
    let sum = 0
    for (let i = 0; i < differences.length; i++) sum += (signs[i] ?? 1) * (differences[i] ?? 0)
    patterns += 1
    if (Math.abs(sum) >= Math.abs(observed) - slack) asExtreme += 1
    if (sum >= observed - slack) asExtremeGreater += 1
  }
  const share = (count: number): number => (count + 1) / (patterns + 1)
  return { p: share(asExtreme), pGreater: share(asExtremeGreater), asExtreme, asExtremeGreater }
}

interface SignFlipOptions {
  /** The cluster of each difference. The signs of a cluster change together. */
  readonly clusters?: ArrayLike<string | undefined> | undefined
  /** The number of drawn patterns if there are too many for an exact test. @default 10000 */
  readonly resamples?: number
  /** The seed of the draws. @default 0 */
  readonly seed?: number
}

/**
 * Tests whether the mean difference is 0, by sign flips of differences or clusters. It is exact for few different sums,
 * such as any number of 0/1 scores or 16 real numbers, and drawn with a seed otherwise.
 */
export function testSignFlips(
  differences: ArrayLike<number>,
  { clusters, resamples = 10_000, seed = 0 }: SignFlipOptions = {},
): SignFlipTest | NoResult {
  const refusal = clusters === undefined ? undefined : checkClusters(differences, clusters)
  if (refusal !== undefined) return refusal
  const units = clusters === undefined ? Float64Array.from(differences) : sumClusters(differences, clusters)
  if (units.length === 0) return { none: 'no pairs' }
  return testAllFlips(units) ?? testWithFlips(units, drawFlips(units.length, resamples, seed))
}

const mostSums = 2 ** 17

/** Tests all sign patterns by the distribution of their sums. Undefined if there are too many different sums. */
export function testAllFlips(differences: ArrayLike<number>): SignFlipTest | undefined {
  const { sum: observed, slack } = sumUp(differences)
  let sums: Sums = new Map([[0, { sum: 0, share: 1 }]])
  for (const { size, count } of countSizes(differences, slack)) {
    const next: Sums = new Map()
    for (let plus = 0; plus <= count; plus++) {
      const probability = binomialPmf(plus, count, 0.5)
      for (const { sum, share } of sums.values())
        addShare(next, sum + (2 * plus - count) * size, share * probability, slack)
      if (next.size > mostSums) return undefined
    }
    sums = next
  }
  let [p, pGreater] = [0, 0]
  for (const { sum, share } of sums.values()) {
    if (Math.abs(sum) >= Math.abs(observed) - slack) p += share
    if (sum >= observed - slack) pGreater += share
  }
  return { p: Math.min(1, p), pGreater: Math.min(1, pGreater) }
}

/** Sums of sign patterns with their probabilities. Sums that differ by rounding only have one key. */
type Sums = Map<number, { readonly sum: number; readonly share: number }>

function addShare(sums: Sums, sum: number, share: number, slack: number): void {
  const key = Math.round(sum / slack)
  const entry = sums.get(key)
  sums.set(key, entry === undefined ? { sum, share } : { sum: entry.sum, share: entry.share + share })
}

/** Counts the differences of each absolute size other than 0. */
function countSizes(
  differences: ArrayLike<number>,
  slack: number,
): readonly { readonly size: number; readonly count: number }[] {
  const sizes = new Map<number, { readonly size: number; readonly count: number }>()
  for (let i = 0; i < differences.length; i++) {
    const size = Math.abs(differences[i] ?? 0)
    if (size === 0) continue
    const key = Math.round(size / slack)
    const entry = sizes.get(key)
    sizes.set(key, entry === undefined ? { size, count: 1 } : { size: entry.size, count: entry.count + 1 })
  }
  return [...sizes.values()]
}

function sumUp(differences: ArrayLike<number>): { readonly sum: number; readonly slack: number } {
  let [sum, size] = [0, 0]
  for (let i = 0; i < differences.length; i++) {
    sum += differences[i] ?? 0
    size += Math.abs(differences[i] ?? 0)
  }
  return { sum, slack: rounding * size }
}

function sumClusters(differences: ArrayLike<number>, clusters: ArrayLike<string | undefined>): Float64Array {
  const { count, index } = numberClusters(clusters)
  const sums = new Float64Array(count)
  for (const [at, cluster] of index.entries()) sums[cluster] = (sums[cluster] ?? 0) + (differences[at] ?? 0)
  return sums
}

function* drawFlips(units: number, resamples: number, seed: number): Generator<Int8Array> {
  const next = createSeededRandom(seed)
  const signs = new Int8Array(units)
  for (let resample = 0; resample < resamples; resample++) {
    for (let at = 0; at < units; at++) signs[at] = next() < 2 ** 31 ? 1 : -1
    yield signs
  }
}
