import { parsePythonFloat } from '../text/python-number.js'

/**
 * Whether an answer is right as ChartQA asks: a number (a trailing `%` divides it by 100) within `tolerance` · |target| of the
 * target's, or else the same text but for letter case. Only 0 itself is near to 0.
 *
 * Source: Masry et al. 2022 (https://arxiv.org/abs/2203.10244), end of section 5.1; lmms-eval 0.7.2, `tasks/chartqa/utils.py`.
 */
export function isRelaxedMatch(prediction: string, target: string, tolerance = 0.05): boolean {
  const given = numberOf(prediction)
  const wanted = numberOf(target)
  if (given === undefined || wanted === undefined) return prediction.toLowerCase() === target.toLowerCase()
  if (wanted === 0) return given === 0
  return Math.abs(given - wanted) / Math.abs(wanted) <= tolerance
}

/** Whether a text is a number, and that is 0. */
export const isZero = (text: string): boolean => numberOf(text) === 0

function numberOf(text: string): number | undefined {
  if (!text.endsWith('%')) return parsePythonFloat(text)
  const number = parsePythonFloat(text.replace(/%+$/, ''))
  return number === undefined ? undefined : number / 100
}
