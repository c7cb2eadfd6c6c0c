/** The power of the score test of paired scores of 0 and 1, by which two runs are compared. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { findCrossing } from '../distributions/find-quantile.js'
import { binomialPmf, binomialSf } from '../distributions/binomial.js'
import { normalQuantile } from '../distributions/normal.js'

/** Two models on the same docs, whose scores are 0 or 1. */
export interface PairedShares {
  /** The difference of the two shares of right answers. */
  readonly effect: number
  /** The standard deviation of the differences. With the effect it determines the share of docs in which the models differ. */
  readonly deviation: number
}

interface Settings {
  readonly alpha: number
  readonly power: number
}

/**
 * Computes the power of the two-sided score test of `n` pairs, which rejects if (b − c)² > z² (b + c) for b and c docs that only one model has right.
 * All tables are enumerated, so that the power is exact.
 *
 * Source: Miettinen, "The Matched Pairs Design in the Case of All-or-None Responses", Biometrics 24 (1968), for the power by the number of pairs that
 * differ.
 */
export function computeSharesPower(shares: PairedShares, n: number, { alpha }: Pick<Settings, 'alpha'>): number {
  const [towards, away] = shareDiscordant(shares)
  const differing = towards + away
  const z = -normalQuantile(alpha / 2)
  const spread = 9 * Math.sqrt(n * differing * (1 - differing)) + 9
  const [from, to] = [Math.max(1, Math.floor(n * differing - spread)), Math.min(n, Math.ceil(n * differing + spread))]
  let power = 0
  for (let pairs = from; pairs <= to; pairs++) {
    const weight = binomialPmf(pairs, n, differing)
    if (weight === 0) continue
    // The fewest docs on one side with (2b − pairs)² > z² pairs.
    const fewest = Math.floor((pairs + z * Math.sqrt(pairs)) / 2) + 1
    if (fewest > pairs) continue
    const share = towards / differing
    power += weight * (binomialSf(fewest - 1, pairs, share) + binomialSf(fewest - 1, pairs, 1 - share))
  }
  return Math.min(1, power)
}

/** Returns the shares of docs that only the better and only the worse model has right: q = σ² + d², halved around d. */
function shareDiscordant({ effect, deviation }: PairedShares): readonly [number, number] {
  const size = Math.abs(effect)
  const differing = Math.min(1, Math.max(size, deviation ** 2 + size ** 2))
  return [(differing + size) / 2, Math.max(0, (differing - size) / 2)]
}

/** Up to this number of pairs all tables are enumerated. */
const mostPairs = 1e7

/** Computes the smallest number of pairs that reach the power, so that one pair fewer does not. @throws PipelineError if no number does */
export function planSharesSize(shares: PairedShares, { alpha, power }: Settings): number {
  const reaches = (n: number): boolean => computeSharesPower(shares, n, { alpha }) >= power
  let high = 2
  while (!reaches(high)) {
    high *= 2
    if (high > mostPairs)
      throw new PipelineError(
        'usage',
        `A difference of ${shares.effect} needs over ${mostPairs} docs. Ask for a larger difference.`,
      )
  }
  let low = Math.floor(high / 2)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (reaches(middle)) high = middle
    else low = middle
  }
  // The power of a test of counts falls now and then as docs are added, so that the next sizes must reach it, too.
  for (let next = high + 1; next <= high + checkedSizes; next++) if (!reaches(next)) high = next + 1
  return high
}

const checkedSizes = 8

/** Computes the smallest difference that `n` pairs find with the power. 1 if there is none below. */
export function findDetectableShare(deviation: number, n: number, { alpha, power }: Settings): number {
  const miss = (effect: number): number => computeSharesPower({ effect, deviation }, n, { alpha }) - power
  return miss(1) < 0 ? 1 : findCrossing(miss, 1e-9, 1)
}
