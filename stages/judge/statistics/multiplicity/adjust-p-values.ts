/** The method by which p values of several tests are adjusted. `holm` controls the chance of any false finding, `bh` the share of them. */
export type Adjustment = 'holm' | 'hochberg' | 'bonferroni' | 'sidak' | 'holm-sidak' | 'bh' | 'by'

/**
 * Adjusts p values for the number of tests, in the order given. A finding with an adjusted p ≤ α keeps the error rate α:
 * that of any false finding, or for `bh` and `by` the expected share of false findings.
 *
 * Sources: Holm (1979); Hochberg, Biometrika 75 (1988); Šidák, JASA 62 (1967); Benjamini and Hochberg, JRSS B 57 (1995);
 * Benjamini and Yekutieli, Annals of Statistics 29 (2001), for dependent tests.
 */
export function adjustPValues(pValues: readonly number[], adjustment: Adjustment): readonly number[] {
  const count = pValues.length
  const order = pValues.map((_, at) => at).sort((left, right) => (pValues[left] ?? 0) - (pValues[right] ?? 0))
  const sorted = order.map((at, rank) => adjustOne(pValues[at] ?? Number.NaN, { rank, count, adjustment }))
  if (isStepDown(adjustment))
    for (let at = 1; at < count; at++) sorted[at] = Math.max(sorted[at - 1] ?? 0, sorted[at] ?? 0)
  if (isStepUp(adjustment))
    for (let at = count - 2; at >= 0; at--) sorted[at] = Math.min(sorted[at + 1] ?? 1, sorted[at] ?? 1)
  const adjusted = new Array<number>(count)
  for (const [rank, at] of order.entries()) adjusted[at] = Math.min(1, sorted[rank] ?? 1)
  return adjusted
}

const isStepDown = (adjustment: Adjustment): boolean => adjustment === 'holm' || adjustment === 'holm-sidak'

const isStepUp = (adjustment: Adjustment): boolean =>
  adjustment === 'hochberg' || adjustment === 'bh' || adjustment === 'by'

/** Adjusts one p value by its rank from 0, before the values are made monotone. */
function adjustOne(
  p: number,
  { rank, count, adjustment }: { readonly rank: number; readonly count: number; readonly adjustment: Adjustment },
): number {
  switch (adjustment) {
    case 'bonferroni':
      return p * count
    case 'holm':
    case 'hochberg':
      return p * (count - rank)
    case 'sidak':
      return complementPower(p, count)
    case 'holm-sidak':
      return complementPower(p, count - rank)
    case 'bh':
      return (p * count) / (rank + 1)
    case 'by':
      return (p * count * sumInverses(count)) / (rank + 1)
  }
}

/** Computes 1 − (1 − p)ⁿ without cancellation for small p. */
const complementPower = (p: number, n: number): number => -Math.expm1(n * Math.log1p(-p))

function sumInverses(count: number): number {
  let sum = 0
  for (let k = 1; k <= count; k++) sum += 1 / k
  return sum
}
