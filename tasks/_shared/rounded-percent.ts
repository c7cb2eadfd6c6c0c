import type { Json } from '../../base/canonical-json.js'
import { pythonRound } from '../../stages/judge/text/python-number.js'

/** The mean of 0s and 1s in per cent, to two places, as several benchmarks print it. */
export const roundedPercent = (values: readonly Json[]): number =>
  pythonRound((values.map(Number).reduce((sum, value) => sum + value, 0) / values.length) * 100, 2)
