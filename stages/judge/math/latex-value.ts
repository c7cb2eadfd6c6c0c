import { isEqual, type Rational } from '../numbers/rational.js'
import { over, ratio, real, type Complex } from './complex.js'
import { readFormula, type Formula } from './formula.js'

/**
 * The real number of a LaTeX expression: `\frac{3}{4}` is 0.75, `3\sqrt{2}` is 4.2426…. Angles are in radians.
 * Undefined if the text has free variables, units or several parts, or is not an expression.
 */
export function latexValue(latex: string): number | undefined {
  return latexNumber(latex)?.re
}

/** The real number of a LaTeX expression, with its exact value if that is rational. Undefined as for {@link latexValue}. */
export function latexNumber(latex: string): { readonly re: number; readonly exact?: Rational | undefined } | undefined {
  const value = constantValue(latex)
  return value?.im === 0 ? value : undefined
}

function constantValue(latex: string): Complex | undefined {
  const formula = readFormula(latex)
  if (formula === undefined || formula.names.size > 0) return undefined
  const value = formula.valueAt(nowhere)
  return isNumber(value) ? value : undefined
}

const nowhere = (): Complex => real(Number.NaN)

/** The number of sets of values that are tried. */
const tries = 8

/** Returns whether two expressions have the same variables, and the same values for all sets of values that are tried. */
export function isSameExpression(first: string, second: string): boolean {
  const [left, right] = [readFormula(first), readFormula(second)]
  const isDecimal = decimalPoint.test(first) || decimalPoint.test(second)
  return left !== undefined && right !== undefined && isSameFormula(left, right, isDecimal)
}

/** Decimal numbers are rounded, so they are compared approximately. */
export const decimalPoint = /\.\d|\d\./

function isSameFormula(left: Formula, right: Formula, isDecimal: boolean): boolean {
  let agreed = 0
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const values = makeTestValues([...new Set([...left.names, ...right.names])].sort(), attempt)
    const [a, b] = [left.valueAt(values), right.valueAt(values)]
    if (isNumber(a) !== isNumber(b) || (isNumber(a) && !isSame(a, b, isDecimal))) return false
    if (isNumber(a)) agreed += 1
  }
  return agreed > 1
}

/** The ratio of two expressions if it is equal for all sets of values that are tried, and their number of variables. */
export function proportion(
  expression: string,
  other: string,
): { readonly ratio: number; readonly names: number } | undefined {
  const [left, right] = [readFormula(expression), readFormula(other)]
  if (left === undefined || right === undefined || left.names.size === 0) return undefined
  const names = [...new Set([...left.names, ...right.names])].sort()
  const ratios = Array.from({ length: tries }, (_, attempt) => {
    const values = makeTestValues(names, attempt)
    return over(left.valueAt(values), right.valueAt(values))
  }).filter(isNumber)
  const [first] = ratios
  const isDecimal = decimalPoint.test(expression) || decimalPoint.test(other)
  return first !== undefined &&
    ratios.length > 1 &&
    first.im === 0 &&
    ratios.every(each => isSame(each, first, isDecimal))
    ? { ratio: first.re, names: names.length }
    : undefined
}

/** Values without simple relations between them. Some are negative, some are between 0 and 1. */
const makeTestValues =
  (names: readonly string[], attempt: number) =>
  (name: string): Complex => {
    const value = (((names.indexOf(name) + 1) * 0.7548776662 + (attempt + 1) * 0.5698402909) % 1) * 4.3 - 1.3
    return ratio({ top: BigInt(Math.round(value * grid)), bottom: BigInt(grid) })
  }

/** A prime, so that values share no factors with the numbers in formulas. */
const grid = 10_007

const isNumber = ({ re, im }: Complex): boolean => Number.isFinite(re) && Number.isFinite(im)

/** Compares exact values exactly, unless a decimal number may have been rounded. Values below 1e-13 count as 0. */
const isSame = (a: Complex, b: Complex, isDecimal: boolean): boolean => {
  const isExact = a.exact !== undefined && b.exact !== undefined && !isDecimal
  return isExact && Math.max(Math.abs(a.re), Math.abs(b.re)) > 1e-13 ? isEqual(a.exact, b.exact) : isNear(a, b)
}

const isNear = (a: Complex, b: Complex): boolean => {
  const size = Math.max(Math.hypot(a.re, a.im), Math.hypot(b.re, b.im))
  return Math.hypot(a.re - b.re, a.im - b.im) <= Math.max(1e-9 * size, 1e-13)
}
