import { collectTerms, type DocTerms } from '../../statistics/resampling/doc-terms.js'
import { newConfusion, type Confusion, type Label } from './confusion.js'

/** The pairs of target and answer of docs, as terms from which confusion matrices of resamples follow. */
export interface PairTerms {
  readonly terms: DocTerms
  add(gold: Label, predicted: Label | null, weight?: number): void
  /** The number of different pairs. */
  readonly pairs: number
  /** Builds the confusion matrix of sums over docs. */
  readConfusion(sums: ArrayLike<number>): Confusion
}

/** Collects pairs. Each different pair is a cell. */
export function collectPairs(): PairTerms {
  const terms = collectTerms()
  const cells = new Map<string, number>()
  const pairs: (readonly [gold: Label, predicted: Label | null])[] = []
  return {
    terms,
    add(gold, predicted, weight = 1) {
      const key = JSON.stringify([gold, predicted])
      const cell = cells.get(key) ?? pairs.push([gold, predicted]) - 1
      cells.set(key, cell)
      terms.addCells([[cell, weight]])
    },
    get pairs() {
      return pairs.length
    },
    readConfusion(sums) {
      const confusion = newConfusion()
      for (const [cell, [gold, predicted]] of pairs.entries()) {
        const count = sums[cell] ?? 0
        // A class that no doc of a resample has is none of its classes.
        if (count > 0) confusion.add(gold, predicted, count)
      }
      return confusion
    },
  }
}
