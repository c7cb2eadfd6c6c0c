import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { calibrationFold, calibrationShape } from './forecasts/calibration-fold.js'

/**
 * The expected calibration error, in [0, 1], from `[confidence, whether it is right]`: the mean gap of confidence and accuracy over
 * `n_bins` bins of equal width, each by its docs.
 *
 * Source: Guo et al. 2017 (https://arxiv.org/abs/1706.04599).
 */
export const ece = defineAggregation({
  id: 'ece',
  of: 'folded',
  args: z.object(calibrationShape),
  start: ({ n_bins: bins }) => calibrationFold(bins, calibration => calibration.ece),
})
