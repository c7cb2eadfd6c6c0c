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
  readonly effort: Effort
  /** Within an absolute value, where a bar ends it. */
  readonly isInBars?: boolean
  /** Within a trigonometric function, where degrees are degrees. */
  readonly isAngle?: boolean
  /** Within an integral, where `dx` ends it. */
  readonly isIntegrand?: boolean
}

/** How many more times the terms of sums and the functions of integrals and limits may be evaluated, one within another or not. */
interface Effort {
  left: number
}

/** What takes more is nothing: nobody's answer does, and a text that was made up to would take for ever. */
const mostEffort = 200_000

export interface Formula {
  readonly names: ReadonlySet<string>
  readonly valueAt: Term
}

/**
 * A formula of LaTeX or of plain signs: numbers, letters, arithmetic, roots, powers, the usual functions, sums and products,
 * integrals between bounds, derivatives and limits. Letters are variables, but for
 * e, i and π; `\infty` is one, too. Undefined where something else stands in it, such as a list or a relation.
 *
 * As latex2sympy2_extended 1.10.2 reads: a product without a sign binds more tightly than a quotient (`1/2x` is `1/(2x)`), letter case of
 * variables does not matter, primes and the base of a number (`12_8`) are passed over, `\log` is decadic.
 */
export function readFormula(latex: string): Formula | undefined {
  const effort: Effort = { left: mostEffort }
  const scope = { text: formulaText(latex), names: new Set<string>(), effort }
  try {
    const term = sum(scope)
    const valueAt: Term = values => {
      effort.left = mostEffort
      return term(values)
    }
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
