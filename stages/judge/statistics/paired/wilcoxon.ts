import { normalCdf } from '../distributions/normal.js'
import { rankValues } from './ranks.js'

interface WilcoxonOptions {
  /**
   * The treatment of differences of 0: `wilcox` leaves them out, `pratt` ranks them and leaves out their ranks, `zsplit`
   * gives half of their ranks to each side. @default 'wilcox'
   */
  readonly zeros?: 'wilcox' | 'pratt' | 'zsplit'
  /** Whether the normal approximation is corrected for continuity. @default false */
  readonly isCorrected?: boolean
}

/** A signed-rank test: `w` is the smaller sum of ranks. */
export interface WilcoxonTest {
  readonly w: number
  readonly z: number
  /** The two-sided p value; 1 if no difference is left. */
  readonly p: number
}

/**
 * Runs Wilcoxon's signed-rank test with the normal approximation, corrected for ties.
 *
 * Sources: Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1 (1945); Pratt, "Remarks on Zeros
 * and Ties in the Wilcoxon Signed Rank Procedures", JASA 54 (1959).
 */
export function testSignedRanks(
  differences: ArrayLike<number>,
  { zeros = 'wilcox', isCorrected = false }: WilcoxonOptions = {},
): WilcoxonTest {
  const used = Array.from(differences).filter(difference => zeros !== 'wilcox' || difference !== 0)
  const zeroCount = used.filter(difference => difference === 0).length
  if (used.length === zeroCount) return { w: 0, z: 0, p: 1 }
  const { ties } = rankValues(used.filter(difference => difference !== 0 || zeros === 'zsplit').map(Math.abs))
  const { negative, positive, zero } = sumRanks(used)
  const w = Math.min(negative, positive) + (zeros === 'zsplit' ? zero / 2 : 0)
  const zeroRanks = zeros === 'pratt' ? zeroCount : 0
  const centre = sumTo(used.length) / 2 - sumTo(zeroRanks) / 2
  const spread =
    sumSquares(used.length) - sumSquares(zeroRanks) - ties.reduce((sum, size) => sum + size ** 3 - size, 0) / 48
  const distance = w - centre
  const z = (distance - (isCorrected ? Math.sign(distance) / 2 : 0)) / Math.sqrt(spread)
  return { w, z, p: Math.min(1, 2 * normalCdf(-Math.abs(z))) }
}

/** Computes Σ k for k to n. */
const sumTo = (n: number): number => (n * (n + 1)) / 2

/** Computes Σ k² / 4 for k to n, the variance of a sum of signed ranks. */
const sumSquares = (n: number): number => (n * (n + 1) * (2 * n + 1)) / 24

/**
 * Runs Wilcoxon's exact signed-rank test: all sign patterns of the differences other than 0 are equally likely. Equal
 * differences share their mean rank. The time grows as n³, so it is for at most some hundred differences.
 */
export function testSignedRanksExactly(differences: ArrayLike<number>): Omit<WilcoxonTest, 'z'> {
  const used = Array.from(differences).filter(difference => difference !== 0)
  if (used.length === 0) return { w: 0, p: 1 }
  const { negative, positive } = sumRanks(used)
  const w = Math.min(negative, positive)
  // Twice a mean rank is whole.
  const doubled = Array.from(rankValues(used.map(Math.abs)).ranks, rank => Math.round(2 * rank))
  const shares = spreadSums(doubled)
  let tail = 0
  for (let sum = 0; sum <= Math.round(2 * w); sum++) tail += shares[sum] ?? 0
  return { w, p: Math.min(1, 2 * tail) }
}

/** Computes the probability of each sum of ranks if each rank is in it with probability ½. */
function spreadSums(ranks: readonly number[]): Float64Array {
  const shares = new Float64Array(ranks.reduce((sum, rank) => sum + rank, 1))
  shares[0] = 1
  let highest = 0
  for (const rank of ranks) {
    highest += rank
    for (let sum = highest; sum >= 0; sum--)
      shares[sum] = ((shares[sum] ?? 0) + (sum >= rank ? (shares[sum - rank] ?? 0) : 0)) / 2
  }
  return shares
}

function sumRanks(differences: readonly number[]): {
  readonly negative: number
  readonly positive: number
  readonly zero: number
} {
  const { ranks } = rankValues(differences.map(Math.abs))
  const sums = { negative: 0, positive: 0, zero: 0 }
  for (const [at, difference] of differences.entries())
    sums[difference > 0 ? 'positive' : difference < 0 ? 'negative' : 'zero'] += ranks[at] ?? 0
  return sums
}
