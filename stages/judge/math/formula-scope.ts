/**
 * What the readers of parts of a formula share: the text, the variables met, and the grammar that calls them. `formula.ts` begins the
 * reading; the parts never import it, and reach sums and products within them through `scope.grammar`.
 */
import { real, type Complex } from './complex.js'

/** The value of each variable. */
export type Values = (name: string) => Complex

/** The value of a part of a formula for given values of its variables; NaN where it has none. */
export type Term = (values: Values) => Complex

/** The rules that parts of a formula may contain again. */
export interface Grammar {
  /** Terms with signs between them. */
  readonly sum: (scope: Scope) => Term
  /** Factors with signs of multiplication, division or remainders between them. */
  readonly product: (scope: Scope) => Term
  /** All digits of a number, as in `2^10`, else one thing. */
  readonly exponent: (scope: Scope) => Term
  /** The argument of a function without brackets: it ends before the next function, or a sign of multiplication. */
  readonly bareArgument: (scope: Scope) => Term
}

/** The text that is read, and the variables met on the way. */
export interface Scope {
  readonly text: FormulaText
  readonly grammar: Grammar
  readonly names: Set<string>
  readonly effort: Effort
  /** Within an absolute value, where a bar ends it. */
  readonly isInBars?: boolean
  /** Within a trigonometric function, where degrees are degrees. */
  readonly isAngle?: boolean
  /** Within an integral, where `dx` ends it. */
  readonly isIntegrand?: boolean
}

/** How many more times the terms of sums and the functions of integrals and limits may be evaluated, nested or not. */
export interface Effort {
  left: number
}

export const constant = (value: number): Term => {
  const fixed = real(value)
  return () => fixed
}

export const both =
  (operation: (a: Complex, b: Complex) => Complex, a: Term, b: Term): Term =>
  values =>
    operation(a(values), b(values))

/** Reads up to the bracket that closes. */
export function enclosed<T>(scope: Scope, read: (scope: Scope) => T, close: RegExp): T {
  const value = scope.text.inside(() => read(scope))
  scope.text.expect(close)
  return value
}

/** A group, or the one digit or thing that follows. */
export function argument(scope: Scope): Term {
  const digit = scope.text.take(/\d/y)
  return digit === undefined ? scope.grammar.exponent(scope) : constant(Number(digit))
}

/** Sums with commas between them. */
export function listed(scope: Scope): readonly Term[] {
  const terms = [scope.grammar.sum(scope)]
  while (scope.text.take(/,/y) !== undefined) terms.push(scope.grammar.sum(scope))
  return terms
}

/** Adds the names in a sum, an integral or a limit to the formula around it, without the bound variable. */
export function passNames(own: Set<string>, { names }: Scope, bound: string): void {
  own.delete(bound)
  for (const name of own) names.add(name)
}

/** The text of a formula, read from left to right. */
interface FormulaText {
  /** The match of a sticky pattern at the place reached, which is then passed with the white space behind it. */
  take(pattern: RegExp): string | undefined
  /** Whether a sticky pattern matches at the place reached. */
  sees(pattern: RegExp): boolean
  /** Takes the pattern. @throws {Unreadable} where it does not match. */
  expect(pattern: RegExp): string
  isAtEnd(): boolean
  /** Reads within brackets. @throws {Unreadable} where too many lie within each other. */
  inside<T>(read: () => T): T
}

/** A text that is no formula of the kind that is read here. */
export class Unreadable extends Error {}

const white =
  /(?:\s|\\[,!;: ]|~|\\(?:quad|qquad|displaystyle|limits|nolimits|bigl|bigr|big|Big|left|right)(?![a-zA-Z]))*/y

const deepest = 100

/** @throws {Unreadable} from what reads it, where the text is no formula. */
export function formulaText(text: string): FormulaText {
  let at = 0
  let depth = 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  const take = (pattern: RegExp): string | undefined => {
    const found = match(pattern)
    if (found === undefined) return undefined
    at += found.length
    at += match(white)?.length ?? 0
    return found
  }
  take(white)
  return {
    take,
    sees: pattern => match(pattern) !== undefined,
    expect(pattern) {
      const found = take(pattern)
      if (found === undefined) throw new Unreadable(`${pattern.source} is missing at ${String(at)}`)
      return found
    },
    isAtEnd: () => at >= text.length,
    inside(read) {
      depth += 1
      if (depth > deepest) throw new Unreadable('brackets within brackets, too deep')
      const value = read()
      depth -= 1
      return value
    },
  }
}
