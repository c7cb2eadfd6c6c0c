import { adjustPValues } from '../multiplicity/adjust-p-values.js'
import { computeRangeP } from '../multiplicity/find-worse.js'
import { decideVerdict, docsToDecide, type PairedComparison } from './compare-paired.js'

/** A comparison among others, whose verdict allows for their number. */
export type FamilyComparison = PairedComparison & {
  /** The p value after the adjustment over all comparisons. Absent where there is no p value. */
  readonly adjustedP?: number
}

/**
 * Decides the verdicts of comparisons that are read together, such as all metrics of two runs. Holm's method keeps the chance that any of
 * them is wrongly called different at 5 %, and likewise the chance that any is wrongly called equivalent.
 *
 * If all compare one model with others of which none does better, that model may have been chosen by its score. Its distance to the lowest of
 * equal models is a range, so that each p is that of the range (Tukey), stepping down as in {@link findWorse}.
 */
export function settleVerdicts<Comparison extends PairedComparison>(
  comparisons: readonly Comparison[],
): readonly (Comparison & FamilyComparison)[] {
  const isChosen = mayBeChosen(comparisons)
  const adjusted = adjustKnown(
    comparisons.map(({ p }) => p),
    isChosen ? adjustForChoice : adjustByHolm,
  )
  const equivalent = adjustKnown(
    comparisons.map(({ equivalence }) => equivalence?.p),
    adjustByHolm,
  )
  const known = comparisons.filter(({ p }) => p !== undefined).length
  // A chosen one was chosen from all pairs.
  const tests = isChosen ? (known * (known + 1)) / 2 : known
  return comparisons.map((comparison, at) => {
    const p = adjusted[at]
    const { higherIsBetter } = comparison
    const verdict = decideVerdict({
      isSame: comparison.verdict === 'same',
      equivalenceP: equivalent[at],
      p,
      gain: higherIsBetter ? comparison.difference : -comparison.difference,
    })
    const settled = { ...comparison, verdict, ...(p !== undefined && { adjustedP: p }) }
    if (verdict !== 'undecided' || comparison.verdict === 'undecided') return settled
    const { n, difference, stderr, equivalence } = comparison
    const needed =
      stderr === undefined
        ? undefined
        : docsToDecide(
            { difference, deviation: stderr * Math.sqrt(n) },
            { alpha: 0.05 / tests, margin: equivalence?.margin },
          )
    return { ...settled, ...(needed !== undefined && { docsToDecide: Math.max(needed, n + 1) }) }
  })
}

/**
 * Tells whether all compare the same scores of one model with those of others, and none of the others does better. Comparisons that are all
 * alike are one comparison under several names.
 */
function mayBeChosen(comparisons: readonly PairedComparison[]): boolean {
  const [first, ...others] = comparisons
  if (first === undefined || others.length === 0) return false
  return (
    others.every(({ n, b }) => n === first.n && b === first.b) &&
    others.some(({ a }) => a !== first.a) &&
    comparisons.every(({ difference, higherIsBetter }) => (higherIsBetter ? difference >= 0 : difference <= 0))
  )
}

const adjustByHolm = (pValues: readonly number[]): readonly number[] => adjustPValues(pValues, 'holm')

function adjustForChoice(pValues: readonly number[]): readonly number[] {
  const order = pValues.map((p, at) => ({ p, at })).sort((left, right) => left.p - right.p)
  const adjusted = new Array<number>(pValues.length).fill(1)
  let least = 0
  for (const [rank, { p, at }] of order.entries()) {
    // The chosen one and those that remain.
    least = Math.max(least, computeRangeP(p, pValues.length - rank + 1))
    adjusted[at] = least
  }
  return adjusted
}

/** Adjusts the existing p values, and keeps their order. */
function adjustKnown(
  pValues: readonly (number | undefined)[],
  adjust: (pValues: readonly number[]) => readonly number[],
): readonly (number | undefined)[] {
  const presentValues = pValues.flatMap((p, at) => (p === undefined ? [] : [{ p, at }]))
  const adjusted = adjust(presentValues.map(({ p }) => p))
  const placed = new Array<number | undefined>(pValues.length).fill(undefined)
  for (const [rank, { at }] of presentValues.entries()) placed[at] = adjusted[rank]
  return placed
}
