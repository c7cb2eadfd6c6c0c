import type { Json } from '../../../base/values/canonical-json.js'
import { bare, type Fold } from '../define/define-aggregation.js'
import { collectTerms } from '../statistics/resampling/doc-terms.js'

/** The rule by which a number follows from sums over docs. */
interface SumRule {
  /** Returns a doc's numbers, as many for each doc. @throws Error if the value is of the wrong kind. */
  readonly read: (value: Json) => readonly number[]
  /** Computes the number from the sums; NaN if there is none. */
  readonly combine: (sums: ArrayLike<number>) => number
}

/** Starts a fold whose number follows from sums over docs, with a bootstrap interval. */
export function sumFold({ read, combine }: SumRule): Fold {
  const terms = collectTerms()
  const sums: number[] = []
  return {
    add(value) {
      const numbers = read(value)
      terms.add(numbers)
      for (const [at, number] of numbers.entries()) sums[at] = (sums[at] ?? 0) + number
    },
    finish() {
      const value = combine(sums)
      return bare(Number.isFinite(value) ? value : null)
    },
    resample: () => ({ terms, combine }),
  }
}
