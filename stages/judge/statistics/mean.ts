/** Means of independent values, and of values in clusters, such as several questions about one image. */
import { tQuantile } from './distributions.js'

export interface MeanEstimate {
  readonly n: number
  readonly mean: number
  /** The variance with n − 1 in the denominator; NaN for a single value, like `stderr`. */
  readonly variance: number
  /** The standard error of the mean: √(variance / n). */
  readonly stderr: number
}

/** Mean, variance and standard error. Compensated sums keep all digits even if the values share a large offset. */
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

/** The t interval: `estimate` ± the t quantile × `stderr`. `level` is the coverage. @default 0.95 */
export function tInterval(
  { mean, stderr }: { readonly mean: number; readonly stderr: number },
  df: number,
  level = 0.95,
): readonly [number, number] {
  const half = tQuantile((1 + level) / 2, df) * stderr
  return [mean - half, mean + half]
}

/** The mean with its 95 % t interval. Fewer than two values have no standard error and no interval. */
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
  /** CR1: (G/(G−1)) · Σ S² / n², where S is the sum of the residuals in a cluster and G the number of clusters. */
  readonly cr1: number
  /** CR2: like CR1 with each S² divided by 1 − m/n, where m is the cluster's size. It is reliable for unequal sizes. */
  readonly cr2: number
  /** Bell and McCaffrey's degrees of freedom for CR2. */
  readonly df: number
  /** The smallest number of independent values that these can stand for: n² / Σ m². */
  readonly parts: number
  /** The 95 % interval from CR2. */
  readonly interval: readonly [number, number]
}

/**
 * The mean with cluster-robust standard errors and interval. It is undefined with fewer than two clusters, or if a
 * value has no cluster.
 *
 * Source: Bell and McCaffrey, "Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples",
 * Survey Methodology 28 (2002), for a regression on a constant only.
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

/** Whether every value has a cluster. The loop also visits holes in the list, which `some` and `every` skip. */
export function isEachInCluster(values: ArrayLike<number>, clusters: ArrayLike<string | undefined>): boolean {
  if (values.length !== clusters.length) return false
  for (let i = 0; i < clusters.length; i++) if (clusters[i] == null) return false
  return true
}
