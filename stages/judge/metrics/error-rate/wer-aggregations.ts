import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import { bare, defineAggregation, withoutInterval, type Fold, type Summary } from '../../define/define-aggregation.js'
import { collectTerms } from '../../statistics/resampling/doc-terms.js'
import { hasSpread } from '../../statistics/intervals/bounded-interval.js'
import { tInterval } from '../../statistics/intervals/mean.js'
import { addCounts, countEdits, measures, noErrors, referenceLength, type ErrorCounts } from './error-counts.js'

const counts = z.object({
  hits: z.int().min(0),
  substitutions: z.int().min(0),
  deletions: z.int().min(0),
  insertions: z.int().min(0),
})

/** The arguments that error aggregations read from a metric's entry. */
export const scaleShape = {
  /** True if the aggregate is in per cent, as speech benchmarks publish it. A doc's own rate stays a fraction. */
  percent: z.boolean().default(false),
} as const

const errorArgs = z.object(scaleShape)

type ErrorArgs = z.output<typeof errorArgs>

interface ErrorRule {
  /** Computes the rate, in its unit. */
  readonly measure: (total: ErrorCounts) => number
  /** Summarises independent docs by a formula. */
  readonly summarise?: (total: ErrorCounts) => Summary
  readonly each?: (doc: ErrorCounts) => void
}

/**
 * Adds up the counts of several verdicts.
 *
 * @throws Error if one of them has no counts
 */
export const poolCounts = (values: readonly Json[]): ErrorCounts => values.map(readCounts).reduce(addCounts, noErrors)

function readCounts(value: unknown): ErrorCounts {
  const read = counts.safeParse(value)
  if (read.success) return read.data
  throw new Error(`it takes counts of errors, not ${JSON.stringify(value).slice(0, 200)}`)
}

/** Adds up the counts of docs. If no reference contains a word, the rate is null. */
function errorFold({ measure, summarise, each }: ErrorRule): Fold {
  let total = noErrors
  const terms = collectTerms()
  return {
    add(value) {
      const read = readCounts(value)
      total = addCounts(total, read)
      each?.(read)
      const { hits, substitutions, deletions, insertions } = read
      terms.add([hits, substitutions, deletions, insertions])
    },
    finish(clusters) {
      if (referenceLength(total) === 0) return { ...bare(null), note: 'the references are empty' }
      return summarise === undefined || clusters !== undefined ? bare(measure(total)) : summarise(total)
    },
    resample: () => ({
      terms,
      combine: ({ 0: hits = 0, 1: substitutions = 0, 2: deletions = 0, 3: insertions = 0 }) => {
        const counts = { hits, substitutions, deletions, insertions }
        return referenceLength(counts) === 0 ? Number.NaN : measure(counts)
      },
    }),
  }
}

/** A measure of all docs' counts. */
const errorMeasureFold = (measure: (total: ErrorCounts) => number, { percent }: ErrorArgs): Fold =>
  errorFold({ measure: total => (percent ? 100 * measure(total) : measure(total)) })

/**
 * All edits divided by the sum of `sizeOf`, with the standard error of a ratio of sums and Student's 95 % interval.
 * If the interval would start below 0, it is Student's interval of the logarithm (delta method). Docs in clusters have a
 * bootstrap interval.
 *
 * Source: Cochran, "Sampling Techniques" (1977), 6.13: the residuals of each doc's edits from the rate times its
 * size.
 */
function errorRateFold(sizeOf: (counts: ErrorCounts) => number, { percent }: ErrorArgs): Fold {
  const scale = percent ? 100 : 1
  let n = 0
  const squares = { edits: 0, both: 0, sizes: 0 }
  return errorFold({
    measure: total => scale * (countEdits(total) / sizeOf(total)),
    summarise(total) {
      const size = sizeOf(total)
      const value = countEdits(total) / size
      if (n < 2) return bare(scale * value)
      const residual = Math.max(0, squares.edits - 2 * value * squares.both + value * value * squares.sizes)
      const stderr = Math.sqrt((residual * n) / (n - 1)) / size
      const said = { value: scale * value, stderr: scale * stderr }
      if (!hasSpread({ mean: value, stderr }))
        return { ...bare(said.value), stderr: said.stderr, note: `${withoutInterval}: all docs have the same rate` }
      const [low, high] = rateInterval({ mean: value, stderr }, n - 1)
      return { ...said, interval: [scale * low, scale * high], intervalMethod: 't' }
    },
    each(doc) {
      const [edits, size] = [countEdits(doc), sizeOf(doc)]
      n += 1
      squares.edits += edits * edits
      squares.both += edits * size
      squares.sizes += size * size
    },
  })
}

/** The interval of a rate, which is at least 0 and has no upper bound. */
function rateInterval(rate: { readonly mean: number; readonly stderr: number }, df: number): readonly [number, number] {
  const plain = tInterval(rate, df)
  if (plain[0] >= 0) return plain
  const [low, high] = tInterval({ mean: Math.log(rate.mean), stderr: rate.stderr / rate.mean }, df)
  return [Math.exp(low), Math.exp(high)]
}

/**
 * The edits of all docs divided by the words (or characters) of all references, from counts of `hits`,
 * `substitutions`, `deletions` and `insertions`. The value is null if all references are empty.
 *
 * Source: jiwer 4.0.0, `wer` and `cer` of lists.
 */
export const werAggregation = defineAggregation({
  id: 'wer',
  of: 'folded',
  args: errorArgs,
  start: args => errorRateFold(referenceLength, args),
})

/**
 * The edits of all docs divided by all aligned words, from the same counts as `wer`.
 * Source: jiwer 4.0.0, `mer` of lists.
 */
export const merAggregation = defineAggregation({
  id: 'mer',
  of: 'folded',
  args: errorArgs,
  start: args => errorRateFold(counts => counts.hits + countEdits(counts), args),
})

/** Word information lost of all docs as one text, from the same counts as `wer`. Source: jiwer 4.0.0, `wil` of lists. */
export const wilAggregation = defineAggregation({
  id: 'wil',
  of: 'folded',
  args: errorArgs,
  start: args => errorMeasureFold(measures.wil, args),
})

/** Word information preserved of all docs as one text, from the same counts as `wer`. Source: jiwer 4.0.0, `wip` of lists. */
export const wipAggregation = defineAggregation({
  id: 'wip',
  of: 'folded',
  args: errorArgs,
  start: args => errorMeasureFold(measures.wip, args),
})
