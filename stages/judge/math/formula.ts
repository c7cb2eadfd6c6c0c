import { real, type Complex } from './complex.js'
import { formulaText, Unreadable, type FormulaText } from './formula-text.js'
import { sum } from './formula-terms.js'

/** The value of each variable. */
export type Values = (name: string) => Complex

/** What a part of a formula is for given values of its variables; NaN where it is nothing. */
export type Term = (values: Values) => Complex

/** What is read, and the variables met on the way. */
export interface Scope {
  readonly text: FormulaText
  readonly names: Set<string>
  /** Within an absolute value, where a bar ends it. */
  readonly isInBars?: boolean
  /** Within a trigonometric function, where degrees are degrees. */
  readonly isAngle?: boolean
}

export interface Formula {
  readonly names: ReadonlySet<string>
  readonly valueAt: Term
}

/**
 * A formula of LaTeX or of plain signs: numbers, letters, arithmetic, roots, powers, the usual functions, sums and products. Letters are variables, but for
 * e, i and π; `\infty` is one, too. Undefined where something else stands in it, such as an integral, a list or a relation.
 *
 * As latex2sympy2_extended 1.10.2 reads: a product without a sign binds more tightly than a quotient (`1/2x` is `1/(2x)`), letter case of
 * variables does not matter, primes and the base of a number (`12_8`) are passed over, `\log` is decadic.
 */
export function readFormula(latex: string): Formula | undefined {
  const scope = { text: formulaText(latex), names: new Set<string>() }
  try {
    const valueAt = sum(scope)
    return scope.text.isAtEnd() ? { names: scope.names, valueAt } : undefined
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

export const constant = (value: number): Term => {
  const fixed = real(value)
  return () => fixed
}
