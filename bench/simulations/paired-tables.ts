/** Exact error rates of paired comparisons of 0/1 scores: sums over all tables of n docs. */
import { lnGamma } from '../../stages/judge/statistics/distributions/gamma.js'
import { comparePaired, type PairedComparison } from '../../stages/judge/statistics/paired/compare-paired.js'

/** A truth: the shares of docs that only the second model, and only the first one, gets right. */
export interface PairedTruth {
  readonly n: number
  readonly gained: number
  readonly lost: number
}

/** Probabilities of what a comparison says of a truth. */
export interface ExactRates {
  /** The interval holds the true difference. */
  readonly covered: number
  /** The whole interval is above the true difference: at a loss of M, the gate `not worse by M` passes. */
  readonly tooHigh: number
  /** The whole interval is below the true difference. */
  readonly tooLow: number
  /** The verdict is `better` or `worse`. */
  readonly decided: number
  /** The verdict with the true difference as the margin is `equivalent`. */
  readonly equivalent: number
}

interface Table {
  readonly onlyA: number
  readonly onlyB: number
  readonly compared: PairedComparison
}

/**
 * Computes the comparisons of all tables of n docs, once for all truths.
 *
 * @param most the largest number of differing docs; tables with more must be too rare to count @default n
 */
export function enumerateTables(
  n: number,
  { margin, most = n }: { readonly margin?: number; readonly most?: number } = {},
): readonly Table[] {
  const tables: Table[] = []
  for (let onlyA = 0; onlyA <= most; onlyA++)
    for (let onlyB = 0; onlyB <= most - onlyA; onlyB++) {
      const pairs = Array.from({ length: n }, (_, doc) => ({
        id: '',
        a: Number(doc < onlyA),
        b: Number(doc >= onlyA && doc < onlyA + onlyB),
      }))
      tables.push({ onlyA, onlyB, compared: comparePaired({ pairs, margin }) })
    }
  return tables
}

/** Sums the probabilities of the tables under a truth. */
export function computeExactRates(tables: readonly Table[], { n, gained, lost }: PairedTruth): ExactRates {
  const rates = { covered: 0, tooHigh: 0, tooLow: 0, decided: 0, equivalent: 0 }
  const power = (count: number, share: number): number => (count === 0 ? 0 : count * Math.log(share))
  for (const { onlyA, onlyB, compared } of tables) {
    const same = n - onlyA - onlyB
    const ways = lnGamma(n + 1) - lnGamma(onlyA + 1) - lnGamma(onlyB + 1) - lnGamma(same + 1)
    const chance = Math.exp(
      ways + power(onlyA, lost) + power(onlyB, gained) + power(same, Math.max(0, 1 - gained - lost)),
    )
    const [low, high] = compared.interval ?? [-1, 1]
    if (low > gained - lost) rates.tooHigh += chance
    else if (high < gained - lost) rates.tooLow += chance
    else rates.covered += chance
    if (compared.verdict === 'better' || compared.verdict === 'worse') rates.decided += chance
    if (compared.verdict === 'equivalent') rates.equivalent += chance
  }
  return rates
}
