/**
 * How far confidence is from accuracy, in bins of equal width, open to the left; a confidence of 0 is in the first.
 *
 * Source: Naeini et al. 2015, Obtaining well calibrated probabilities using Bayesian binning; Guo et al. 2017
 * (https://arxiv.org/abs/1706.04599).
 */
export interface CalibrationBin {
  readonly bin: number
  readonly n: number
  readonly accuracy: number
  readonly confidence: number
}

export interface Calibration {
  /** The expected error: the gaps' mean, each by its number of docs. */
  readonly ece: number
  /** The largest gap. */
  readonly mce: number
  /** Those that are not empty. */
  readonly bins: readonly CalibrationBin[]
}

export interface CalibrationCounts {
  /** @throws RangeError where the confidence is not in [0, 1]. */
  add(confidence: number, isRight: number): void
  finish(): Calibration
}

/** Sums by bin, as large after the last doc as after the first. */
export function calibrationCounts(bins: number): CalibrationCounts {
  const counts = Array.from({ length: bins }, () => ({ n: 0, right: 0, confidence: 0 }))
  const edges = Array.from({ length: bins + 1 }, (_, i) => (i === bins ? 1 : i * (1 / bins)))
  return {
    add(confidence, isRight) {
      if (!(confidence >= 0 && confidence <= 1)) throw new RangeError(`a confidence is in [0, 1], not ${confidence}`)
      const below = edges.findIndex(edge => edge >= confidence)
      const bin = counts[Math.min(bins - 1, Math.max(0, below - 1))]
      if (bin === undefined) return
      bin.n += 1
      bin.right += isRight
      bin.confidence += confidence
    },
    finish() {
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
    },
  }
}
