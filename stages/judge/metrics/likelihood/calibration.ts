/** The metrics `ece` and `mce` with their aggregations. They measure the difference between confidence and accuracy. */
import { z } from 'zod'
import { defineAggregation, type Fold } from '../../define/define-aggregation.js'
import { defineMetric, scored } from '../../define/define-metric.js'
import { collectTerms } from '../../statistics/resampling/doc-terms.js'
import { finite } from '../classification/classes.js'
import { computeForecast } from './forecast.js'

const calibrationShape = { n_bins: z.int().min(1).default(15) }

/**
 * The expected calibration error of the choices' probabilities (softmax of their log-likelihoods): the mean
 * difference between confidence and accuracy, in [0, 1]. Lower is better.
 *
 * Source: Guo et al. 2017 (https://arxiv.org/abs/1706.04599).
 */
export const ece = defineMetric({
  id: 'ece',
  args: z.strictObject(calibrationShape),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'ece',
  judge(input) {
    const { probabilities, golds, answer } = computeForecast(input)
    return scored([probabilities[answer] ?? 0, golds.includes(answer) ? 1 : 0])
  },
})

/**
 * The maximum calibration error: the largest of the differences that `ece` averages, in [0, 1]. Lower is better.
 *
 * Source: Guo et al. 2017 (https://arxiv.org/abs/1706.04599).
 */
export const mce = defineMetric({
  id: 'mce',
  args: z.strictObject(calibrationShape),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'mce',
  judge(input) {
    const { probabilities, golds, answer } = computeForecast(input)
    return scored([probabilities[answer] ?? 0, golds.includes(answer) ? 1 : 0])
  },
})

const pair = z.tuple([z.number(), z.union([z.number(), z.boolean().transform(Number)])])

/** Counts values `[confidence, whether it is correct]`. */
function calibrationFold(bins: number, value: (calibration: Calibration) => number): Fold {
  const counts = calibrationCounts(bins)
  const terms = collectTerms()
  return {
    add(entry) {
      const parsed = pair.safeParse(entry)
      if (!parsed.success) throw new Error(`it takes [confidence, 0 or 1], not ${JSON.stringify(entry).slice(0, 200)}`)
      const [confidence, isRight] = parsed.data
      const bin = counts.add(confidence, isRight)
      terms.addCells([
        [3 * bin, 1],
        [3 * bin + 1, isRight],
        [3 * bin + 2, confidence],
      ])
    },
    finish: () => finite(value(counts.finish())),
    resample: () => ({
      ...{ terms, combine: sums => value(summariseBins(readBins(sums, bins))), cost: 20 * bins },
      unfit: biased,
    }),
  }
}

/**
 * The reason why a calibration error has no interval. It is a sum of absolute differences, whose expectation lies above the truth, and in resamples once
 * more. An interval around it does not cover the error of a calibrated model, which is 0.
 *
 * Source: Kumar, Liang and Ma, "Verified Uncertainty Calibration" (2019), section 4.
 */
const biased = 'chance makes it larger, and resamples make it larger again'

const readBins = (sums: ArrayLike<number>, bins: number): readonly BinSums[] =>
  Array.from({ length: bins }, (_, bin) => ({
    n: sums[3 * bin] ?? 0,
    right: sums[3 * bin + 1] ?? 0,
    confidence: sums[3 * bin + 2] ?? 0,
  }))

/**
 * The expected calibration error, in [0, 1], from `[confidence, whether it is correct]`. It is the mean difference
 * between confidence and accuracy over `n_bins` bins of equal width, weighted by their docs.
 *
 * Source: Guo et al. 2017 (https://arxiv.org/abs/1706.04599).
 */
export const eceAggregation = defineAggregation({
  id: 'ece',
  of: 'folded',
  args: z.object(calibrationShape),
  start: ({ n_bins: bins }) => calibrationFold(bins, calibration => calibration.ece),
})

/**
 * The largest of the differences that `ece` averages, in [0, 1].
 * Source: Guo et al. 2017 (https://arxiv.org/abs/1706.04599).
 */
export const mceAggregation = defineAggregation({
  id: 'mce',
  of: 'folded',
  args: z.object(calibrationShape),
  start: ({ n_bins: bins }) => calibrationFold(bins, calibration => calibration.mce),
})

/**
 * Confidence and accuracy of one of the bins. Bins have equal width and exclude their lower end; a confidence of 0
 * is in the first bin.
 *
 * Source: Naeini et al. 2015, Obtaining well calibrated probabilities using Bayesian binning; Guo et al. 2017
 * (https://arxiv.org/abs/1706.04599).
 */
interface CalibrationBin {
  readonly bin: number
  readonly n: number
  readonly accuracy: number
  readonly confidence: number
}

interface Calibration {
  /** The expected error: the mean of the differences, weighted by the number of docs. */
  readonly ece: number
  /** The largest difference. */
  readonly mce: number
  /** The bins that are not empty. */
  readonly bins: readonly CalibrationBin[]
}

interface CalibrationCounts {
  /** Adds a doc and returns the number of its bin. @throws RangeError if the confidence is not in [0, 1]. */
  add(confidence: number, isRight: number): number
  finish(): Calibration
}

/** Keeps sums by bin. Their size does not grow with the number of docs. */
export function calibrationCounts(bins: number): CalibrationCounts {
  const counts = Array.from({ length: bins }, () => ({ n: 0, right: 0, confidence: 0 }))
  const edges = Array.from({ length: bins + 1 }, (_, i) => (i === bins ? 1 : i * (1 / bins)))
  return {
    add(confidence, isRight) {
      if (!(confidence >= 0 && confidence <= 1)) throw new RangeError(`a confidence is in [0, 1], not ${confidence}`)
      const below = edges.findIndex(edge => edge >= confidence)
      const number = Math.min(bins - 1, Math.max(0, below - 1))
      const bin = counts[number]
      if (bin !== undefined) {
        bin.n += 1
        bin.right += isRight
        bin.confidence += confidence
      }
      return number
    },
    finish: () => summariseBins(counts),
  }
}

interface BinSums {
  readonly n: number
  readonly right: number
  readonly confidence: number
}

function summariseBins(counts: readonly BinSums[]): Calibration {
  const total = counts.reduce((sum, { n }) => sum + n, 0)
  const filled = counts.flatMap(({ n, right, confidence }, bin) =>
    n === 0 ? [] : [{ bin, n, accuracy: right / n, confidence: confidence / n }],
  )
  const gaps = filled.map(({ accuracy, confidence }) => Math.abs(accuracy - confidence))
  return {
    ece: filled.reduce((sum, { n }, i) => sum + (n / total) * (gaps[i] ?? 0), 0),
    mce: Math.max(0, ...gaps),
    bins: filled,
  }
}
