/** Estimates of how often several samples of a doc are right: pass@k, pass^k, G-Pass@k and mG-Pass@k, without bias and exact. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { countSubsets, divideCounts } from './binomials.js'

/** The samples of one doc. */
export interface SampledDoc {
  /** The number of samples. */
  readonly n: number
  readonly correct: number
}

/** Probabilities about k samples that are drawn from the doc's samples without replacement. */
export interface PassEstimates {
  /** pass@k: at least one of k is right. */
  readonly passAtK: number
  /** pass^k: all k are right. */
  readonly passHatK: number
  /** G-Pass@k(τ): at least ⌈τ·k⌉ of k are right, for each of the thresholds. */
  readonly gPass: readonly number[]
  /** mG-Pass@k: the mean of G-Pass@k over thresholds above ½. */
  readonly mgPass: number
}

/**
 * Computes pass@k, pass^k, G-Pass@k and mG-Pass@k of one doc.
 *
 * Sources: Chen et al. 2021 (arXiv 2107.03374) for pass@k; Yao et al. 2024 (arXiv 2406.12045) for pass^k; Liu et al.
 * 2024 (arXiv 2412.13147) for G-Pass@k and mG-Pass@k.
 *
 * @param k at most the number of samples
 * @param thresholds each τ in (0, 1]
 * @throws PipelineError if there are fewer than k samples, or a number is out of range
 */
export function estimatePasses(
  { n, correct }: SampledDoc,
  k: number,
  thresholds: readonly number[] = [0.25, 0.5, 0.75, 1],
): PassEstimates {
  checkDoc({ n, correct }, k)
  for (const threshold of thresholds)
    if (!(threshold > 0 && threshold <= 1))
      throw new PipelineError(
        'usage',
        `The threshold of G-Pass@k is ${threshold}, and it must be above 0 and at most 1.`,
      )
  const tails = sumTails(countSubsets({ n, correct, k }))
  const allSubsets = tails[0] ?? 1n
  const probability = (least: number): number => divideCounts(tails[least] ?? 0n, allSubsets)
  const aboveHalf = tails.slice(Math.ceil(k / 2) + 1).reduce((sum, tail) => sum + tail, 0n)
  return {
    passAtK: probability(1),
    passHatK: probability(k),
    // The small number keeps a product such as 0.07 · 100, which is 7 + 10⁻¹⁵, from being rounded up.
    gPass: thresholds.map(threshold => probability(Math.max(1, Math.ceil(threshold * k - 1e-9)))),
    mgPass: divideCounts(2n * aboveHalf, BigInt(k) * allSubsets),
  }
}

/** Computes the means of the estimates over docs. */
export function averagePasses(
  docs: readonly SampledDoc[],
  k: number,
  thresholds: readonly number[] = [0.25, 0.5, 0.75, 1],
): PassEstimates {
  if (docs.length === 0) throw new PipelineError('usage', `There are no docs, so that pass@${k} is undefined.`)
  const each = docs.map(doc => estimatePasses(doc, k, thresholds))
  const average = (value: (estimates: PassEstimates) => number): number =>
    each.reduce((sum, estimates) => sum + value(estimates), 0) / docs.length
  return {
    passAtK: average(({ passAtK }) => passAtK),
    passHatK: average(({ passHatK }) => passHatK),
    gPass: thresholds.map((_, i) => average(({ gPass }) => gPass[i] ?? Number.NaN)),
    mgPass: average(({ mgPass }) => mgPass),
  }
}

/** Entry j is the sum of all counts from j on. */
function sumTails(counts: readonly bigint[]): readonly bigint[] {
  const tails = [...counts]
  for (let j = tails.length - 2; j >= 0; j--) tails[j] = (tails[j] ?? 0n) + (tails[j + 1] ?? 0n)
  return tails
}

function checkDoc({ n, correct }: SampledDoc, k: number): void {
  const isWhole = Number.isInteger(n) && Number.isInteger(correct) && Number.isInteger(k)
  if (!isWhole || correct < 0 || correct > n || k < 1)
    throw new PipelineError(
      'usage',
      `There are ${n} samples, ${correct} of them right, and k is ${k}. All must be whole, with k at least 1.`,
    )
  if (k > n)
    throw new PipelineError(
      'usage',
      `k is ${k}, and there are only ${n} samples of a doc. Draw more samples or lower k.`,
    )
}
