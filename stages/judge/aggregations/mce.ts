import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { calibrationFold, calibrationShape } from './forecasts/calibration-fold.js'

/** The largest gap of those that `ece` averages, in [0, 1]. Source: Guo et al. 2017 (https://arxiv.org/abs/1706.04599). */
export const mce = defineAggregation({
  id: 'mce',
  of: 'folded',
  args: z.object(calibrationShape),
  start: ({ n_bins: bins }) => calibrationFold(bins, calibration => calibration.mce),
})
