/**
 * The state that the parsers of parts of a formula share: the text, the variables and the grammar. `formula.ts` starts
 * the parsing. The parts never import it, and parse nested sums and products through `scope.grammar`.
 */
import { readDecimal } from '../numbers/rational.js'
import { ratio, real, type Complex } from './complex.js'

/** Returns the value of a variable. */
export type Values = (name: string) => Complex

/** Computes the value of a part of a formula from the values of its variables. The value is NaN if it is undefined. */
export type Term = (values: Values) => Complex

/** The grammar rules that parts of a formula can use recursively. */
export interface Grammar {
  /** Terms joined by + and −. */
  readonly sum: (scope: Scope) => Term
  /** Factors joined by multiplication, division or remainder signs. */
  readonly product: (scope: Scope) => Term
  /** An exponent: all digits of a number, as in `2^10`, else a single item. */
  readonly exponent: (scope: Scope) => Term
  /** The argument of a function without brackets. It ends before the next function or multiplication sign. */
  readonly bareArgument: (scope: Scope) => Term
}

/** The state of a parse: the text, and the variables found so far. */
export interface Scope {
  readonly text: FormulaText
  readonly grammar: Grammar
  readonly names: Set<string>
  readonly effort: Effort
  /** Set within an absolute value, which a bar ends. */
  readonly isInBars?: boolean
  /** Set within a trigonometric function, where degrees are converted. */
  readonly isAngle?: boolean
  /** Set within an integral, which `dx` ends. */
  readonly isIntegrand?: boolean
}

/** The remaining number of evaluations of terms of sums and functions of integrals and limits, including nested ones. */
export interface Effort {
  left: number
}

export const constant = (value: number): Term => {
  const fixed = real(value)
  return () => fixed
}

/** A number as written, such as `2.50` or `1e-3`. */
export const parseNumeral = (numeral: string): Term => {
  const exact = readDecimal(numeral)
  const fixed = exact === undefined ? real(Number(numeral)) : ratio(exact)
  return () => fixed
}

export const both =
  (operation: (a: Complex, b: Complex) => Complex, a: Term, b: Term): Term =>
  values =>
    operation(a(values), b(values))

/** Reads up to the closing bracket. */
export function readEnclosed<T>(scope: Scope, read: (scope: Scope) => T, close: RegExp): T {
  const value = scope.text.inside(() => read(scope))
  scope.text.expect(close)
  return value
}

/** Reads a group, or else a single digit or item. */
export function argument(scope: Scope): Term {
  const digit = scope.text.take(/\d/y)
  return digit === undefined ? scope.grammar.exponent(scope) : constant(Number(digit))
}

/** Reads sums that are separated by commas. */
export function readList(scope: Scope): readonly Term[] {
  const terms = [scope.grammar.sum(scope)]
  while (scope.text.take(/,/y) !== undefined) terms.push(scope.grammar.sum(scope))
  return terms
}

/** Adds the names within a sum, an integral or a limit to the enclosing formula, except the bound variable. */
export function passNames(target: Set<string>, { names }: Scope, bound: string): void {
  target.delete(bound)
  for (const name of target) names.add(name)
}

/** The text of a formula with the position of the parser. */
interface FormulaText {
  /** Takes the match of a sticky pattern at the position, and skips the white space after it. */
  take(pattern: RegExp): string | undefined
  /** Returns whether a sticky pattern matches at the position. */
  sees(pattern: RegExp): boolean
  /** Takes the pattern. @throws {Unreadable} if it does not match. */
  expect(pattern: RegExp): string
  isAtEnd(): boolean
  /** Parses within brackets. @throws {Unreadable} if they are nested too deeply. */
  inside<T>(read: () => T): T
}

/** Thrown for a text that is not a formula of the supported kind. */
export class Unreadable extends Error {}

const white =
  /(?:\s|\\[,!;: ]|~|\\(?:quad|qquad|displaystyle|limits|nolimits|bigl|bigr|big|Big|left|right)(?![a-zA-Z]))*/y

const deepest = 100

/** Starts to parse a text. Its methods throw {@link Unreadable} if the text is not a formula. */
export function formulaText(text: string): FormulaText {
  let at = 0
  let depth = 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  const take = (pattern: RegExp): string | undefined => {
    const piece = match(pattern)
    if (piece === undefined) return undefined
    at += piece.length
    at += match(white)?.length ?? 0
    return piece
  }
  take(white)
  return {
    take,
    sees: pattern => match(pattern) !== undefined,
    expect(pattern) {
      const piece = take(pattern)
      if (piece === undefined) throw new Unreadable(`${pattern.source} is missing at ${String(at)}`)
      return piece
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
