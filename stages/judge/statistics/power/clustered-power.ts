/** Computes the power of a paired t test over docs in clusters. The number of clusters determines the degrees of freedom. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { computeDesignEffect, type ClusterSizes } from './clustered-size.js'
import { checkPlan, findEffect, findSize, type PlanSettings } from './plan-size.js'
import { computeTPower, type TestSettings } from './t-power.js'

/** The clustering of docs. */
export interface Clustering {
  /** The sizes of the clusters: 1 for independent docs. */
  readonly sizes: ClusterSizes
  /** The intra-cluster correlation of the differences. */
  readonly icc: number
}

/** Independent docs. */
export const unclustered: Clustering = { sizes: 1, icc: 0 }

/**
 * Computes the power of the paired t test of `n` docs in clusters: the noncentrality shrinks by the design effect, and
 * the degrees of freedom are the number of clusters minus 1. `effect` is in standard deviations of the differences.
 *
 * Sources: Kish, "Survey Sampling" (1965), for the design effect; Donner and Klar, "Design and Analysis of Cluster
 * Randomization Trials in Health Research" (2000), chapter 5, for the t test with the degrees of freedom of clusters.
 *
 * @throws PipelineError with fewer than two clusters
 */
export function computeClusteredPower(
  { effect, n, sizes, icc }: Clustering & { readonly effect: number; readonly n: number },
  settings: TestSettings = {},
): number {
  const clusters = n / averageSize(sizes)
  if (!(clusters >= 2 && Number.isFinite(n)))
    throw new PipelineError(
      'usage',
      `A test needs at least two clusters, and ${n} docs in clusters of ${averageSize(sizes)} are fewer.`,
    )
  return computeTPower(effect * Math.sqrt(n / computeDesignEffect(sizes, icc)), clusters - 1, settings)
}

/** Computes the number of docs that reach the power of the settings. @throws PipelineError if no number does */
export function planDocs(
  effect: number,
  clustering: Clustering,
  settings: PlanSettings = {},
): { readonly docs: number; readonly clusters: number } {
  const { power } = checkPlan(effect, settings)
  const size = averageSize(clustering.sizes)
  const compute = (n: number): number => computeClusteredPower({ ...clustering, effect, n }, settings)
  const { exact, docs } = findSize(compute, { power, fewest: 2 * size, effect })
  return { docs, clusters: Math.ceil(exact / size) }
}

/** Computes the smallest effect, in standard deviations of the differences, that `n` docs show with the power of the settings. */
export const findClusteredEffect = (n: number, clustering: Clustering, settings: PlanSettings = {}): number =>
  findEffect(effect => computeClusteredPower({ ...clustering, effect, n }, settings), settings)

/** Computes the mean number of docs in a cluster. */
export const averageSize = (sizes: ClusterSizes): number =>
  typeof sizes === 'number' ? sizes : sizes.reduce((sum, size) => sum + size, 0) / sizes.length
