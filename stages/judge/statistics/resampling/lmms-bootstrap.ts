import { pythonRandom } from '../../../../base/python/python-random.js'
import { estimateMean } from '../intervals/mean.js'

/**
 * Computes the bootstrap of lmms-eval and lm-evaluation-harness, for comparisons with their logs: chunk i draws with
 * Python's `random.Random(i).choices`. A last chunk that is not full is left out, as there. The standard error is the
 * standard deviation of the replicates.
 *
 * Source: lmms-eval 0.7.2, `bootstrap_stderr` and `_bootstrap_internal`.
 */
export function runLmmsBootstrap(
  values: readonly number[],
  compute: (values: readonly number[]) => number,
  { iterations, chunk = Math.min(1_000, iterations) }: { readonly iterations: number; readonly chunk?: number },
): { readonly stderr: number; readonly replicates: Float64Array } {
  const replicates = new Float64Array(Math.floor(iterations / chunk) * chunk)
  for (let start = 0; start < replicates.length; start += chunk) {
    const random = pythonRandom(start / chunk)
    for (let at = start; at < start + chunk; at++)
      replicates[at] = compute(values.map(() => values[Math.floor(random.random() * values.length)] ?? Number.NaN))
  }
  return { stderr: Math.sqrt(estimateMean(replicates)?.variance ?? Number.NaN), replicates }
}
