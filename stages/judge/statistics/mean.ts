/** The mean of values that come in clusters (questions on one picture), which are not independent of each other. */
import { tQuantile } from './distributions.js'

export interface MeanEstimate {
  readonly n: number
  readonly mean: number
  /** With n − 1 in the denominator; NaN for a single value, as is the next. */
  readonly variance: number
  /** Of the mean: √(variance / n). */
  readonly stderr: number
}

/** Mean, variance and standard error, with compensated sums, so that a large common offset costs no digits. */
export function estimateMean(values: ArrayLike<number>): MeanEstimate | undefined {
  const n = values.length
  if (n === 0) return undefined
  const mean = sum(n, i => values[i] ?? 0) / n
  if (n < 2) return { n, mean, variance: Number.NaN, stderr: Number.NaN }
  const residue = sum(n, i => (values[i] ?? 0) - mean)
  const squares = sum(n, i => ((values[i] ?? 0) - mean) ** 2)
  const variance = Math.max(0, squares - (residue * residue) / n) / (n - 1)
  return { n, mean, variance, stderr: Math.sqrt(variance / n) }
}

/** Neumaier's compensated sum, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen" (1974). */
function sum(n: number, value: (i: number) => number): number {
  let total = 0
  let lost = 0
  for (let i = 0; i < n; i++) {
    const x = value(i)
    const next = total + x
    lost += Math.abs(total) >= Math.abs(x) ? total - next + x : x - next + total
    total = next
  }
  return total + lost
}

/** `estimate` ± the t quantile × `stderr`; `level` is the coverage, 0.95 where none is given. */
export function tInterval(
  { mean, stderr }: { readonly mean: number; readonly stderr: number },
  df: number,
  level = 0.95,
): readonly [number, number] {
  const half = tQuantile((1 + level) / 2, df) * stderr
  return [mean - half, mean + half]
}

/** Mean with its 95 % t interval. Fewer than two values have neither standard error nor interval. */
export function meanInterval(values: ArrayLike<number>):
  | {
      readonly n: number
      readonly mean: number
      readonly stderr: number | null
      readonly interval: readonly [number, number] | null
    }
  | undefined {
  const estimate = estimateMean(values)
  if (estimate === undefined) return undefined
  const { n, mean, stderr } = estimate
  if (n < 2) return { n, mean, stderr: null, interval: null }
  return { n, mean, stderr, interval: tInterval(estimate, n - 1) }
}

interface ClusteredMean {
  readonly n: number
  readonly clusters: number
  readonly mean: number
  /** CR1: (G/(G−1)) · Σ S² / n², S the residuals' sum in a cluster. */
  readonly cr1: number
  /** CR2: each S² divided by 1 − m/n, m the cluster's size; safe where sizes differ much. */
  readonly cr2: number
  /** Bell and McCaffrey's degrees of freedom for CR2. */
  readonly df: number
  /** n² / Σ m²: how many independent values these are at least. */
  readonly parts: number
  /** 95 %, of CR2. */
  readonly interval: readonly [number, number]
}

/**
 * Mean, cluster-robust standard errors and interval; undefined with fewer than two clusters, where nothing is known of
 * the variation between them, and where not every value has a cluster.
 *
 * Sources: Bell and McCaffrey, "Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples", Survey
 * Methodology 28 (2002), for a regression on nothing but a constant.
 */
export function clusteredMean(
  values: ArrayLike<number>,
  clusters: ArrayLike<string | undefined>,
): ClusteredMean | undefined {
  if (!isEachInCluster(values, clusters)) return undefined
  const estimate = estimateMean(values)
  if (estimate === undefined) return undefined
  const { n, mean } = estimate
  const sums = clusterSums(values, clusters, mean)
  if (sums.length < 2) return undefined
  let plain = 0
  let adjusted = 0
  let sizes2 = 0
  let weighted2 = 0
  let weighted4 = 0
  for (const { size, residual } of sums) {
    const square = residual * residual
    const scale = 1 / (1 - size / n)
    plain += square
    adjusted += scale * square
    sizes2 += size * size
    weighted2 += scale * size * size
    weighted4 += (scale * size * size) ** 2
  }
  const cr1 = Math.sqrt((plain * sums.length) / (sums.length - 1)) / n
  const cr2 = Math.sqrt(adjusted) / n
  const df = 1 / (sizes2 / (n * n) + (weighted2 * weighted2 - weighted4) / n ** 4)
  const interval = tInterval({ mean, stderr: cr2 }, df)
  return { n, clusters: sums.length, mean, cr1, cr2, df, parts: (n * n) / sizes2, interval }
}

function clusterSums(
  values: ArrayLike<number>,
  clusters: ArrayLike<string | undefined>,
  mean: number,
): readonly { readonly size: number; readonly residual: number }[] {
  const sums = new Map<string | undefined, { size: number; residual: number }>()
  for (let i = 0; i < values.length; i++) {
    const sum = sums.get(clusters[i]) ?? { size: 0, residual: 0 }
    sum.size += 1
    sum.residual += (values[i] ?? 0) - mean
    sums.set(clusters[i], sum)
  }
  return [...sums.values()]
}

/** Whether every value says which cluster it is of. A list may have holes, which `some` and `every` pass over. */
export function isEachInCluster(values: ArrayLike<number>, clusters: ArrayLike<string | undefined>): boolean {
  if (values.length !== clusters.length) return false
  for (let i = 0; i < clusters.length; i++) if (clusters[i] == null) return false
  return true
}
