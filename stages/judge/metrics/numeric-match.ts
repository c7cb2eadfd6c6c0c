import { z } from 'zod'
import { defineMetric, scored, unparsed } from '../define/define-metric.js'
import type { Parity } from '../define/parity.js'
import { add, compare, isEqual, magnitude, multiply, negate, toNumber, type Rational } from '../numbers/rational.js'
import { readDecimal } from '../numbers/rational.js'
import { findAnswerNumber } from '../numbers/answer-numbers.js'
import { numbersIn, type NumberInText } from '../numbers/read-numbers.js'
import { withoutStruckText } from '../text/struck-text.js'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { parsePythonFloat, withAsciiDigits } from '../text/python-number.js'

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
 * `numpy.isclose` (both tolerances added). Without tolerances, numbers of any length are compared exactly.
 *
 * `pick` selects one of the answer's numbers; with `only`, several different numbers are unparsed. An answer
 * without a number is unparsed and counts 0, and so is one whose number is part of something else, such as a date,
 * a range or `2√3`. A reference without exactly one number is an error of the doc. Thousands separators, signs,
 * exponents, powers, fractions, mixed numbers, digits of all scripts and words such as `million` are read, and a number
 * in English words if there are no digits; units and per cent signs are ignored. What a box, `<answer>…</answer>` or
 * JSON states is read first. A number that touches letters which are no unit, as in `42abc`, is unparsed.
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
  readAnswer({ text }, { pick }) {
    const found = findAnswerNumber(withoutStruckText(text), pick)
    const value = found.type === 'number' ? found.number.value : undefined
    return value && `${String(value.top)}/${String(value.bottom)}`
  },
  judge({ text, references }, { relative, absolute, rule, pick }) {
    const targets = references.map(parseTarget)
    if (references.some(reference => stripWhiteSpace(reference) === stripWhiteSpace(text))) return scored(1)
    const answerNumber = findAnswerNumber(withoutStruckText(text), pick)
    if (answerNumber.type === 'none') return unparsed('the answer holds no number')
    if (answerNumber.type === 'several') return unparsed('the answer holds several numbers')
    const { written, value: answer, also, letters } = answerNumber.number
    // A unit that the target has is a unit, whatever it means.
    const isName = letters !== undefined && !targets.some(target => target.letters === letters)
    if (answer === undefined || isName)
      return unparsed(`${JSON.stringify((written + (letters ?? '')).slice(0, 50))} is not one number`)
    const isNear = relative === 0 && absolute === 0 ? isEqual : nearness[rule]
    const forms = also === undefined ? [answer] : [answer, also]
    const isRight = targets.some(({ value }) => forms.some(form => isNear(form, value, relative, absolute)))
    return scored(isRight ? 1 : 0)
  },
})

const asDoubles =
  (isNear: typeof isCloseSymmetric) =>
  (answer: Rational, target: Rational, relative: number, absolute: number): boolean =>
    isNear(toNumber(answer), toNumber(target), relative, absolute)

const nearness = { either: isWithinEither, math: asDoubles(isCloseSymmetric), numpy: asDoubles(isCloseToTarget) }

/** Returns whether the difference is at most one of the tolerances, which are decimal numbers: 0.05 is 1/20. */
function isWithinEither(answer: Rational, target: Rational, relative: number, absolute: number): boolean {
  const difference = add(answer, negate(target))
  const [share, bound] = [readDecimal(String(relative)), readDecimal(String(absolute))]
  const allowed = share && multiply(share, magnitude(target))
  if (difference === undefined || allowed === undefined || bound === undefined) return isEqual(answer, target)
  const size = magnitude(difference)
  return compare(size, allowed) <= 0 || compare(size, bound) <= 0
}

function parseTarget(reference: string): NumberInText & { readonly value: Rational } {
  const [number, ...more] = numbersIn(reference)
  if (number?.value === undefined || more.length > 0)
    throw new Error(`the target ${JSON.stringify(reference)} is not one number`)
  return { ...number, value: number.value }
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
  readAnswer: ({ text }) => String(numberOrShare(text) ?? text.toLowerCase()),
  judge({ text, references, parity }, { tolerance }) {
    return scored(references.some(reference => isRelaxedMatch(text, reference, { tolerance, parity })) ? 1 : 0)
  },
})

/**
 * Returns whether an answer is correct by ChartQA's rule. It is if both are numbers and the difference is at most
 * `tolerance` · |target|, or if both texts are equal with case ignored. A trailing `%` divides a number by 100. A
 * target of 0 is met only by 0, and an infinite one or NaN only by the same text. A tolerance of 0 compares numbers of
 * any length exactly.
 *
 * Source: Masry et al. 2022 (https://arxiv.org/abs/2203.10244), end of section 5.1; lmms-eval 0.7.2,
 * `tasks/chartqa/utils.py`.
 */
export function isRelaxedMatch(
  prediction: string,
  target: string,
  { tolerance = 0.05, parity }: { readonly tolerance?: number; readonly parity?: Parity | undefined } = {},
): boolean {
  const predictedNumber = numberOrShare(prediction)
  const wanted = numberOrShare(target)
  const isSameText = prediction.toLowerCase() === target.toLowerCase()
  if (predictedNumber === undefined || wanted === undefined) return isSameText
  if (parity === undefined) {
    if (wanted === 0) return predictedNumber === 0
    if (!Number.isFinite(wanted)) return isSameText
    if (tolerance === 0) return isSameNumber(prediction, target)
  }
  // lmms-eval compares a target of 0 as a text.
  return wanted === 0 ? isSameText : Math.abs(predictedNumber - wanted) / Math.abs(wanted) <= tolerance
}

/** Returns whether two texts are the same number exactly. Doubles cannot tell long numbers apart. */
function isSameNumber(prediction: string, target: string): boolean {
  const [predictedNumber, wanted] = [exactNumber(prediction), exactNumber(target)]
  return predictedNumber !== undefined && wanted !== undefined && isEqual(predictedNumber, wanted)
}

/** The exact number of a text that {@link numberOrShare} reads. */
function exactNumber(text: string): Rational | undefined {
  const isShare = text.endsWith('%')
  const number = readDecimal(withAsciiDigits(text).replace(/%+$/, '').replaceAll('_', '').trim())
  return isShare ? number && multiply(number, { top: 1n, bottom: 100n }) : number
}

function numberOrShare(text: string): number | undefined {
  if (!text.endsWith('%')) return parsePythonFloat(text)
  const number = parsePythonFloat(text.replace(/%+$/, ''))
  return number === undefined ? undefined : number / 100
}
