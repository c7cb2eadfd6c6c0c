import { adjustPValues } from '../multiplicity/adjust-p-values.js'
import { decideVerdict, docsToDecide, type PairedComparison } from './compare-paired.js'

/** A comparison among others, whose verdict allows for their number. */
export type FamilyComparison = PairedComparison & {
  /** The p value after Holm's adjustment over all comparisons. Absent where there is no p value. */
  readonly adjustedP?: number
}

/**
 * Decides the verdicts of comparisons that are read together, such as all metrics of two runs. Holm's method keeps the chance that any of
 * them is wrongly called different at 5 %, and likewise the chance that any is wrongly called equivalent.
 */
export function settleVerdicts<Comparison extends PairedComparison>(
  comparisons: readonly Comparison[],
): readonly (Comparison & FamilyComparison)[] {
  const adjusted = adjustKnown(comparisons.map(({ p }) => p))
  const equivalent = adjustKnown(comparisons.map(({ equivalence }) => equivalence?.p))
  const tests = comparisons.filter(({ p }) => p !== undefined).length
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

/** Adjusts the existing p values, and keeps their order. */
function adjustKnown(pValues: readonly (number | undefined)[]): readonly (number | undefined)[] {
  const presentValues = pValues.flatMap((p, at) => (p === undefined ? [] : [{ p, at }]))
  const adjusted = adjustPValues(
    presentValues.map(({ p }) => p),
    'holm',
  )
  const placed = new Array<number | undefined>(pValues.length).fill(undefined)
  for (const [rank, { at }] of presentValues.entries()) placed[at] = adjusted[rank]
  return placed
}
