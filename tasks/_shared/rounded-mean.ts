import type { Json } from '../../base/canonical-json.js'
import { pythonRound } from '../../stages/judge/text/python-number.js'
import { number } from './values.js'

/** The mean of numbers, to five places, as MMMU's scripts and those after them print it. @throws Error where one is no number. */
export const roundedMean = (values: readonly Json[]): number =>
  pythonRound(values.reduce<number>((sum, value) => sum + number(value, 'score'), 0) / values.length, 5)
