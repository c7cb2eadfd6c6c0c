import type { Json } from '../../base/canonical-json.js'

/**
 * The index of the choice with the best log-likelihood, of equals the first, from results of `[log-likelihood, is greedy]`.
 *
 * @throws Error where one has none.
 */
export function likeliest(results: readonly Json[]): number {
  const logprobs = results.map((result, i) => {
    const value: unknown = Array.isArray(result) ? result[0] : undefined
    if (typeof value !== 'number') throw new Error(`choice ${i} has no log-likelihood`)
    return value
  })
  return logprobs.indexOf(Math.max(...logprobs))
}
