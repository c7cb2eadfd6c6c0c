/** The mean of a task in a group of independent tasks. */
export interface GroupPart {
  readonly mean: number
  /** Null if it is unknown, as for a single doc. */
  readonly stderr: number | null
  /** The weight, such as the number of docs, or 1. */
  readonly weight: number
}

/**
 * Computes the weighted mean of independent tasks, Σ w·m / Σ w, and its standard error √(Σ (w·se)²) / Σ w. The error is
 * null if that of a task is unknown.
 */
export function combineMeans(parts: readonly GroupPart[]): { readonly mean: number; readonly stderr: number | null } {
  let [whole, sum, square] = [0, 0, 0]
  let isKnown = true
  for (const { mean, stderr, weight } of parts) {
    whole += weight
    sum += weight * mean
    square += (weight * (stderr ?? 0)) ** 2
    isKnown &&= stderr !== null
  }
  return { mean: sum / whole, stderr: isKnown ? Math.sqrt(square) / whole : null }
}

/**
 * Computes the pooled standard error that lmms-eval and lm-evaluation-harness print for groups, for comparisons with
 * their logs. It is about that of the mean weighted by size, whichever mean is printed beside it.
 *
 * Source: lmms-eval 0.7.2, `pooled_sample_stderr`.
 */
export function poolLmmsStderr(parts: readonly { readonly stderr: number; readonly n: number }[]): number {
  let [docs, squares] = [0, 0]
  for (const { stderr, n } of parts) {
    docs += n
    squares += (n - 1) * stderr * stderr * n
  }
  return Math.sqrt(squares / (docs - parts.length) / docs)
}
