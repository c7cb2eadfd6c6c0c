import { z } from 'zod'
import { defineMetric, scored, unparsed } from '../define-metric.js'
import { numbersIn } from '../extract/numbers.js'
import { isCloseSymmetric, isCloseToTarget } from '../helpers/nearness.js'

/**
 * 1 where the answer's number is within `absolute` or `relative` · |reference| of a reference, else 0. Higher is better. `rule: math`
 * compares as Python's `math.isclose` (relative to the larger of the two), `rule: numpy` as `numpy.isclose` (both tolerances added).
 *
 * `pick` says which of the answer's numbers counts; with `only`, several different ones are unparsed. An answer without a number is
 * unparsed and counts 0; a reference without exactly one is an error of the doc. Thousands commas, signs, exponents and fractions are
 * read; units and per cent signs are not looked at.
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
