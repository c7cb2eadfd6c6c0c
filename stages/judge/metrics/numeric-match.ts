import { z } from 'zod'
import { defineMetric, scored, unparsed } from '../define/define-metric.js'
import { parsePythonFloat } from '../text/python-number.js'

/**
 * The numbers in a text, in order, such as `-1,234.5`, `1e-3`, `3/4` or `.5`. A sign counts only if no letter or
 * digit precedes it.
 */
function numbersIn(text: string): readonly number[] {
  const plain = text.replace(/[−–]/g, '-')
  const pattern =
    /(?<![\p{L}\p{N}_.])([-+]?)(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)([eE][-+]?\d+)?(?:\s?\/\s?(\d+(?:\.\d+)?))?/gu
  return Array.from(plain.matchAll(pattern), ([, sign = '', digits = '', exponent = '', divisor]) => {
    const value = Number(`${sign}${digits.replaceAll(',', '')}${exponent}`)
    return divisor === undefined ? value : value / Number(divisor)
  }).filter(Number.isFinite)
}

/** When two numbers count as equal. */

/**
 * |a − b| ≤ max(relative · max(|a|, |b|), absolute). It is symmetric. Infinities equal only themselves, and NaN
 * equals nothing.
 *
 * Source: Python 3.11, `math.isclose`.
 */
export function isCloseSymmetric(a: number, b: number, relative = 1e-9, absolute = 0): boolean {
  if (a === b) return true
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false
  const difference = Math.abs(a - b)
  return difference <= Math.abs(relative * b) || difference <= Math.abs(relative * a) || difference <= absolute
}

/**
 * |value − target| ≤ absolute + relative · |target|. Infinities equal only themselves, and NaN equals nothing.
 *
 * Source: numpy 2.4.6, `numpy.isclose`.
 */
export function isCloseToTarget(value: number, target: number, relative = 1e-5, absolute = 1e-8): boolean {
  if (value === target) return true
  return Number.isFinite(target) && Math.abs(value - target) <= absolute + relative * Math.abs(target)
}

/**
 * 1 if the answer's number is within `absolute` or `relative` · |reference| of a reference, else 0. Higher is
 * better. `rule: math` compares like Python's `math.isclose` (relative to the larger number), `rule: numpy` like
 * `numpy.isclose` (both tolerances added).
 *
 * `pick` selects one of the answer's numbers; with `only`, several different numbers are unparsed. An answer
 * without a number is unparsed and counts 0. A reference without exactly one number is an error of the doc.
 * Thousands commas, signs, exponents and fractions are read; units and per cent signs are ignored.
 */
export const numericMatch = defineMetric({
  id: 'numeric_match',
  args: z.strictObject({
    relative: z.number().min(0).default(0),
    absolute: z.number().min(0).default(0),
    rule: z.enum(['either', 'math', 'numpy']).default('either'),
    pick: z.enum(['last', 'first', 'only']).default('last'),
  }),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references }, { relative, absolute, rule, pick }) {
    const targets = references.map(numberOf)
    const numbers = numbersIn(text)
    const answer = pick === 'first' ? numbers[0] : numbers.at(-1)
    if (answer === undefined) return unparsed('the answer holds no number')
    if (pick === 'only' && new Set(numbers).size > 1) return unparsed('the answer holds several numbers')
    return scored(targets.some(target => nearness[rule](answer, target, relative, absolute)) ? 1 : 0)
  },
})

const nearness = {
  either: (answer: number, target: number, relative: number, absolute: number): boolean =>
    Math.abs(answer - target) <= Math.max(absolute, relative * Math.abs(target)),
  math: isCloseSymmetric,
  numpy: isCloseToTarget,
}

function numberOf(reference: string): number {
  const [number, ...more] = numbersIn(reference)
  if (number === undefined || more.length > 0)
    throw new Error(`the target ${JSON.stringify(reference)} is not one number`)
  return number
}

/**
 * 1 if the answer is a number within `tolerance` · |reference| of a reference, or the same text with case ignored,
 * else 0. Higher is better. A number with a unit, a currency sign or thousands commas is compared as a text.
 *
 * Source: Masry et al. 2022, ChartQA (https://arxiv.org/abs/2203.10244), end of section 5.1.
 */
export const relaxedAccuracy = defineMetric({
  id: 'relaxed_accuracy',
  args: z.strictObject({ tolerance: z.number().min(0).default(0.05) }),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references, parity }, { tolerance }) {
    // lmms-eval compares a target of 0 as a text.
    const isRight = (reference: string): boolean =>
      parity === 'lmms-eval' && isZero(reference)
        ? text.toLowerCase() === reference.toLowerCase()
        : isRelaxedMatch(text, reference, tolerance)
    return scored(references.some(isRight) ? 1 : 0)
  },
})

/**
 * Whether an answer is correct by ChartQA's rule. It is if both are numbers and the difference is at most
 * `tolerance` · |target|, or if both texts are equal with case ignored. A trailing `%` divides a number by 100. A
 * target of 0 is met only by 0.
 *
 * Source: Masry et al. 2022 (https://arxiv.org/abs/2203.10244), end of section 5.1; lmms-eval 0.7.2,
 * `tasks/chartqa/utils.py`.
 */
export function isRelaxedMatch(prediction: string, target: string, tolerance = 0.05): boolean {
  const given = numberOrShare(prediction)
  const wanted = numberOrShare(target)
  if (given === undefined || wanted === undefined) return prediction.toLowerCase() === target.toLowerCase()
  if (wanted === 0) return given === 0
  return Math.abs(given - wanted) / Math.abs(wanted) <= tolerance
}

/** Whether a text is the number 0. */
export const isZero = (text: string): boolean => numberOrShare(text) === 0

function numberOrShare(text: string): number | undefined {
  if (!text.endsWith('%')) return parsePythonFloat(text)
  const number = parsePythonFloat(text.replace(/%+$/, ''))
  return number === undefined ? undefined : number / 100
}
