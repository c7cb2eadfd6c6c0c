import { over, real, type Complex } from './complex.js'
import { readFormula, type Formula } from './formula.js'

/**
 * The real number of a LaTeX expression: `\frac{3}{4}` is 0.75, `3\sqrt{2}` is 4.2426…. Angles are in radians.
 * Undefined if the text has free variables, units or several parts, or is not an expression.
 */
export function latexValue(latex: string): number | undefined {
  const value = constantValue(latex)
  return value?.im === 0 ? value.re : undefined
}

function constantValue(latex: string): Complex | undefined {
  const formula = readFormula(latex)
  if (formula === undefined || formula.names.size > 0) return undefined
  const value = formula.valueAt(nowhere)
  return isNumber(value) ? value : undefined
}

const nowhere = (): Complex => real(Number.NaN)

/** How many sets of values are tried. */
const tries = 8

/** Whether two expressions have the same variables, and the same values for all sets of values that are tried. */
export function isSameExpression(one: string, other: string): boolean {
  const [left, right] = [readFormula(one), readFormula(other)]
  return left !== undefined && right !== undefined && isSameFormula(left, right)
}

function isSameFormula(left: Formula, right: Formula): boolean {
  let agreed = 0
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const values = valuesOf([...new Set([...left.names, ...right.names])].sort(), attempt)
    const [a, b] = [left.valueAt(values), right.valueAt(values)]
    if (isNumber(a) !== isNumber(b) || (isNumber(a) && !isNear(a, b))) return false
    if (isNumber(a)) agreed += 1
  }
  return agreed > 1
}

/** The ratio of two expressions if it is equal for all sets of values that are tried, and their number of variables. */
export function proportion(one: string, other: string): { readonly ratio: number; readonly names: number } | undefined {
  const [left, right] = [readFormula(one), readFormula(other)]
  if (left === undefined || right === undefined || left.names.size === 0) return undefined
  const names = [...new Set([...left.names, ...right.names])].sort()
  const ratios = Array.from({ length: tries }, (_, attempt) => {
    const values = valuesOf(names, attempt)
    return over(left.valueAt(values), right.valueAt(values))
  }).filter(isNumber)
  const [first] = ratios
  return first !== undefined && ratios.length > 1 && first.im === 0 && ratios.every(ratio => isNear(ratio, first))
    ? { ratio: first.re, names: names.length }
    : undefined
}

/** Values without simple relations between them. Some are negative, some are between 0 and 1. */
const valuesOf =
  (names: readonly string[], attempt: number) =>
  (name: string): Complex =>
    real((((names.indexOf(name) + 1) * 0.7548776662 + (attempt + 1) * 0.5698402909) % 1) * 4.3 - 1.3)

const isNumber = ({ re, im }: Complex): boolean => Number.isFinite(re) && Number.isFinite(im)

const isNear = (a: Complex, b: Complex): boolean => {
  const size = Math.max(Math.hypot(a.re, a.im), Math.hypot(b.re, b.im))
  return Math.hypot(a.re - b.re, a.im - b.im) <= Math.max(1e-9 * size, 1e-13)
}
