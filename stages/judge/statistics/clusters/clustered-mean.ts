/** Means of values in clusters, such as several questions about one image. */
import type { Interval, NoResult } from '../intervals/interval.js'
import { estimateMean, findScale, tInterval } from '../intervals/mean.js'
import { checkClusters, numberClusters } from './number-clusters.js'

export interface ClusteredMean {
  readonly n: number
  readonly clusters: number
  readonly mean: number
  /** The standard error of independent values. */
  readonly plainStderr: number
  /** CR0: √(Σ S²) / n, where S is the sum of the residuals in a cluster. It is too small for few clusters. */
  readonly cr0: number
  /** CR1: CR0 times √(G/(G−1)), where G is the number of clusters. It belongs to G − 1 degrees of freedom. */
  readonly cr1: number
  /** CR2: like CR0 with each S² divided by 1 − m/n, where m is the cluster's size. It is reliable for unequal sizes. */
  readonly cr2: number
  /** CR3: like CR0 with each S² divided by (1 − m/n)². It is the jackknife's error, and is too large for few clusters. */
  readonly cr3: number
  /** Bell and McCaffrey's degrees of freedom for CR2. */
  readonly df: number
  /** The variance of the mean over that of independent values: (CR1 / plain)². NaN if all values are equal. */
  readonly designEffect: number
  /** The smallest number of independent values that these can stand for: n² / Σ m². */
  readonly parts: number
  /** The 95 % interval from CR2. */
  readonly interval: Interval
}

/**
 * Computes the mean with cluster-robust standard errors and interval. It has no result with fewer than two clusters, or
 * if a value has no cluster.
 *
 * Source: Bell and McCaffrey, "Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples",
 * Survey Methodology 28 (2002), for a regression on a constant only.
 */
export function clusteredMean(
  values: ArrayLike<number>,
  clusters: ArrayLike<string | undefined | null>,
): ClusteredMean | NoResult {
  const scale = findScale(values)
  if (scale === 1) return computeClusteredMean(values, clusters)
  const estimate = computeClusteredMean(
    Float64Array.from(values, value => value * scale),
    clusters,
  )
  if ('none' in estimate) return estimate
  const { mean, plainStderr, cr0, cr1, cr2, cr3, interval } = estimate
  return {
    ...estimate,
    ...{ mean: mean / scale, plainStderr: plainStderr / scale },
    ...{ cr0: cr0 / scale, cr1: cr1 / scale, cr2: cr2 / scale, cr3: cr3 / scale },
    interval: [interval[0] / scale, interval[1] / scale],
  }
}

function computeClusteredMean(
  values: ArrayLike<number>,
  clusters: ArrayLike<string | undefined | null>,
): ClusteredMean | NoResult {
  const refusal = checkClusters(values, clusters)
  if (refusal !== undefined) return refusal
  const estimate = estimateMean(values)
  if (estimate === undefined) return { none: 'no values' }
  const { n, mean, stderr } = estimate
  const { sizes, sums } = sumResiduals(values, clusters, mean)
  if (sizes.length < 2) return { none: 'fewer than 2 clusters' }
  let [plain, adjusted, jackknifed] = [0, 0, 0]
  let sizes2 = 0
  let weighted2 = 0
  let weighted4 = 0
  for (const [at, size] of sizes.entries()) {
    const square = (sums[at] ?? 0) ** 2
    const scale = 1 / (1 - size / n)
    plain += square
    adjusted += scale * square
    jackknifed += scale * scale * square
    sizes2 += size * size
    weighted2 += scale * size * size
    weighted4 += (scale * size * size) ** 2
  }
  const count = sizes.length
  const cr1 = Math.sqrt((plain * count) / (count - 1)) / n
  const cr2 = Math.sqrt(adjusted) / n
  const df = 1 / (sizes2 / (n * n) + (weighted2 * weighted2 - weighted4) / n ** 4)
  return {
    ...{ n, clusters: count, mean, plainStderr: stderr },
    ...{ cr0: Math.sqrt(plain) / n, cr1, cr2, cr3: Math.sqrt(jackknifed) / n, df },
    designEffect: (cr1 / stderr) ** 2,
    parts: (n * n) / sizes2,
    interval: tInterval({ mean, stderr: cr2 }, df),
  }
}

function sumResiduals(
  values: ArrayLike<number>,
  clusters: ArrayLike<string | undefined | null>,
  mean: number,
): { readonly sizes: readonly number[]; readonly sums: readonly number[] } {
  const { count, index } = numberClusters(clusters)
  const sizes = new Array<number>(count).fill(0)
  const sums = new Array<number>(count).fill(0)
  for (const [at, cluster] of index.entries()) {
    sizes[cluster] = (sizes[cluster] ?? 0) + 1
    sums[cluster] = (sums[cluster] ?? 0) + ((values[at] ?? 0) - mean)
  }
  return { sizes, sums }
}
