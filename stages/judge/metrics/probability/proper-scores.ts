/** What a forecast costs when the class is known: both are least for honest probabilities. */

/**
 * Σ (p − [class])² over all classes of one forecast: 0 to 2, lower is better.
 *
 * Source: Brier 1950, Verification of forecasts expressed in terms of probability; lm-evaluation-harness, `api/metrics.py`, brier_score.
 * For two classes scikit-learn's `brier_score_loss` gives half of it.
 */
export const brierOf = (probabilities: readonly number[], gold: number): number =>
  probabilities.reduce((sum, p, i) => sum + (p - (i === gold ? 1 : 0)) ** 2, 0)

/**
 * −ln p of the class, with p at least 2⁻⁵² and at most 1 − 2⁻⁵².
 *
 * Source: scikit-learn 1.9.1, `log_loss`.
 */
export function logLossOf(probabilities: readonly number[], gold: number): number {
  const p = probabilities[gold]
  if (p === undefined) throw new RangeError(`the forecast has no class ${gold}`)
  return -Math.log(Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, p)))
}

/** Probabilities of choices from their log-likelihoods. */
export function softmax(logprobs: readonly number[]): readonly number[] {
  const highest = Math.max(...logprobs)
  const weights = logprobs.map(logprob => Math.exp(logprob - highest))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map(weight => weight / total)
}
