import { z } from 'zod'
import { bare, type Fold, type Summary } from '../../define-aggregation.js'
import { tInterval } from '../../statistics/mean.js'
import { addCounts, editsOf, noErrors, referenceLength, type ErrorCounts } from './error-counts.js'

const counts = z.object({
  hits: z.int().min(0),
  substitutions: z.int().min(0),
  deletions: z.int().min(0),
  insertions: z.int().min(0),
})

/** Adds the counts of docs up. Where no doc's reference has a word, no rate is known. */
export function errorFold(summarise: (total: ErrorCounts) => Summary, each?: (doc: ErrorCounts) => void): Fold {
  let total = noErrors
  return {
    add(value) {
      const read = counts.safeParse(value)
      if (!read.success) throw new Error(`it takes counts of errors, not ${JSON.stringify(value).slice(0, 200)}`)
      total = addCounts(total, read.data)
      each?.(read.data)
    },
    finish: () =>
      referenceLength(total) === 0 ? { ...bare(null), note: 'the references are empty' } : summarise(total),
  }
}

/**
 * All edits over all that `sizeOf` says, with the standard error of a ratio of sums and Student's 95 % interval.
 *
 * Source: Cochran, "Sampling Techniques" (1977), 6.13: the residuals of each doc's edits from the rate times its size.
 */
export function errorRateFold(sizeOf: (counts: ErrorCounts) => number): Fold {
  let n = 0
  const squares = { edits: 0, both: 0, sizes: 0 }
  return errorFold(
    total => {
      const size = sizeOf(total)
      const value = editsOf(total) / size
      if (n < 2) return bare(value)
      const residual = Math.max(0, squares.edits - 2 * value * squares.both + value * value * squares.sizes)
      const stderr = Math.sqrt((residual * n) / (n - 1)) / size
      const [low, high] = tInterval({ mean: value, stderr }, n - 1)
      return { value, stderr, interval: [Math.max(0, low), high], intervalMethod: 't' }
    },
    doc => {
      const [edits, size] = [editsOf(doc), sizeOf(doc)]
      n += 1
      squares.edits += edits * edits
      squares.both += edits * size
      squares.sizes += size * size
    },
  )
}
