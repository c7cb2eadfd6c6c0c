import type { ClusteredMean } from './clustered-mean.js'

/**
 * Computes the clustered standard error of lmms-eval, for comparisons with its logs: √(CR0² + Σ d² / (n² (n − 1))). It
 * equals CR1 only if each value is its own cluster, and is smaller for values that agree within clusters.
 *
 * Source: lmms-eval 0.7.2, `clustered_stderr`.
 */
export const computeLmmsClusteredStderr = ({ cr0, plainStderr, n }: ClusteredMean): number =>
  Math.sqrt(cr0 ** 2 + plainStderr ** 2 / n)
