/** Sample sizes where docs come in clusters, such as several questions about one image. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { estimateMean } from '../intervals/mean.js'
import { fSf } from '../distributions/fisher-f.js'
import { approximatePairedSize, type PlanSettings } from './plan-size.js'

/** The sizes of clusters: one size for all, or one for each. */
export type ClusterSizes = number | readonly number[]

/**
 * Computes by how much clusters inflate the variance of a mean: 1 + (Σm²/Σm − 1) · ICC, which is 1 + (m − 1) · ICC for
 * clusters of one size m. A negative ICC counts as 0.
 *
 * Sources: Kish, "Survey Sampling" (1965); Eldridge, Ashby & Kerry, International Journal of Epidemiology 35 (2006)
 * for unequal sizes.
 *
 * @param icc the intra-cluster correlation of the differences, at most 1
 */
export function computeDesignEffect(sizes: ClusterSizes, icc: number): number {
  const list = typeof sizes === 'number' ? [sizes] : sizes
  if (list.length === 0 || !list.every(size => size >= 1))
    throw new PipelineError('usage', 'A design effect needs the clusters’ sizes, each at least 1.')
  if (!(icc <= 1)) throw new PipelineError('usage', `The intra-cluster correlation is ${icc}, and it is at most 1.`)
  const total = list.reduce((sum, size) => sum + size, 0)
  const squares = list.reduce((sum, size) => sum + size * size, 0)
  return 1 + (squares / total - 1) * Math.max(0, icc)
}

/** A plan with clusters. */
export interface ClusteredPlan {
  readonly designEffect: number
  /** The number of docs before rounding. */
  readonly exact: number
  readonly docs: number
  /** The number of clusters before rounding: docs over the mean cluster size. */
  readonly exactClusters: number
  readonly clusters: number
}

/**
 * Plans a paired comparison of docs in clusters by the normal approximation times the design effect. `effect` is the
 * mean difference in standard deviations of the differences.
 *
 * Source: Miller, "Adding Error Bars to Evals" (2024), sections 2.2 and 5, with Kish's design effect.
 */
export function planClusteredSize(
  effect: number,
  { sizes, icc, ...settings }: PlanSettings & { readonly sizes: ClusterSizes; readonly icc: number },
): ClusteredPlan {
  const designEffect = computeDesignEffect(sizes, icc)
  const exact = approximatePairedSize(effect, settings).exact * designEffect
  const list = typeof sizes === 'number' ? [sizes] : sizes
  const meanSize = list.reduce((sum, size) => sum + size, 0) / list.length
  const exactClusters = exact / meanSize
  return { designEffect, exact, docs: Math.ceil(exact), exactClusters, clusters: Math.ceil(exactClusters) }
}

/** The intra-cluster correlation, with the analysis of variance that it comes from. */
export interface ClusterCorrelation {
  /** At most 1. It is negative if values differ more within clusters than between them. */
  readonly icc: number
  readonly betweenMeanSquare: number
  readonly withinMeanSquare: number
  /** The mean cluster size, corrected for unequal sizes. */
  readonly size: number
  readonly f: number
  /** The p value of the F test that clusters do not matter. */
  readonly p: number
}

/**
 * Estimates the intra-cluster correlation ICC(1) by one-way analysis of variance.
 *
 * Source: Donner, "A Review of Inference Procedures for the Intraclass Correlation Coefficient in the One-Way Random
 * Effects Model", International Statistical Review 54 (1986).
 *
 * @throws PipelineError with fewer than two clusters, only clusters of one value, or equal values
 */
export function estimateClusterCorrelation(values: readonly number[], clusters: readonly string[]): ClusterCorrelation {
  const groups = groupValues(values, clusters)
  const [n, count] = [values.length, groups.length]
  if (count < 2) throw new PipelineError('usage', 'An intra-cluster correlation needs at least two clusters.')
  if (n === count) throw new PipelineError('usage', 'An intra-cluster correlation needs a cluster with two values.')
  const mean = estimateMean(values)?.mean ?? Number.NaN
  let [between, within, squares] = [0, 0, 0]
  for (const group of groups) {
    const own = estimateMean(group)
    if (own === undefined) continue
    between += own.n * (own.mean - mean) ** 2
    within += own.n < 2 ? 0 : own.variance * (own.n - 1)
    squares += own.n * own.n
  }
  const [betweenMeanSquare, withinMeanSquare] = [between / (count - 1), within / (n - count)]
  if (betweenMeanSquare === 0 && withinMeanSquare === 0)
    throw new PipelineError('usage', 'All values are equal, so that their intra-cluster correlation is undefined.')
  const size = (n - squares / n) / (count - 1)
  const f = betweenMeanSquare / withinMeanSquare
  return {
    icc: (betweenMeanSquare - withinMeanSquare) / (betweenMeanSquare + (size - 1) * withinMeanSquare),
    betweenMeanSquare,
    withinMeanSquare,
    size,
    f,
    p: fSf(f, count - 1, n - count),
  }
}

function groupValues(values: readonly number[], clusters: readonly string[]): readonly (readonly number[])[] {
  if (values.length !== clusters.length)
    throw new PipelineError(
      'usage',
      `There are ${values.length} values and ${clusters.length} clusters. Name a cluster for each value.`,
    )
  const groups = new Map<string, number[]>()
  values.forEach((value, i) => {
    const cluster = clusters[i] ?? ''
    const group = groups.get(cluster)
    if (group === undefined) groups.set(cluster, [value])
    else group.push(value)
  })
  return [...groups.values()]
}
