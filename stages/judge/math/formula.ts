import { exactRemainder } from '../numbers/whole-functions.js'
import { computeFactorial, minus, over, plus, power, ratio, real, times, type Complex } from './complex.js'
import { calculus, differential } from './calculus.js'
import { calledFunction, startsFunction } from './formula-functions.js'
import { variable } from './formula-names.js'
import {
  argument,
  both,
  constant,
  readEnclosed,
  formulaText,
  parseNumeral,
  Unreadable,
  type Effort,
  type Grammar,
  type Scope,
  type Term,
} from './formula-scope.js'
import { roundedOrSummed } from './formula-series.js'

/** The limit of evaluations. No sensible answer needs more; a malicious one could otherwise run for ever. */
const mostEffort = 200_000

export interface Formula {
  readonly names: ReadonlySet<string>
  readonly valueAt: Term
}

/**
 * Parses a formula, in LaTeX or plain text: numbers, letters, arithmetic, roots, powers, common functions, sums,
 * products, definite integrals, derivatives and limits. Letters are variables except e, i and π; `\infty` is a
 * variable too. Undefined if the text has other content, such as a list or a relation.
 *
 * The rules are those of latex2sympy2_extended 1.10.2. An implicit product binds more tightly than a quotient, so
 * `1/2x` is `1/(2x)`. The case of variables, primes and the base of a number (`12_8`) are ignored, and `\log` is
 * decadic.
 */
export function readFormula(latex: string): Formula | undefined {
  const effort: Effort = { left: mostEffort }
  const scope = { text: formulaText(latex), grammar, names: new Set<string>(), effort }
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

const plusSign = /\+/y
const minusSign = /[-−–]/y
const timesSign = /\\(?:cdot|times|ast)(?![a-zA-Z])|\*(?!\*)|[×·⋅∗]/y
const overSign = /\/|\\div(?![a-zA-Z])|[÷:]/y
const modSign = /\\[bp]?mod(?![a-zA-Z])/y
const powerSign = /\^|\*\*/y
const degrees = /\^\s*(?:\\circ(?![a-zA-Z])|\{\s*\\circ\s*\})|°/y
const primes = /'+|\^\s*(?:\\prime(?![a-zA-Z])|\{\s*(?:\\prime\s*)+\})/y

type Operation = (a: Complex, b: Complex) => Complex

/** Terms joined by + and −. */
function sum(scope: Scope): Term {
  let total = product(scope)
  for (;;) {
    if (scope.text.take(plusSign) !== undefined) total = both(plus, total, product(scope))
    else if (scope.text.take(minusSign) !== undefined) total = both(minus, total, product(scope))
    else return total
  }
}

const remainder: Operation = (a, b) => {
  const exact = a.exact && b.exact && exactRemainder(a.exact, b.exact)
  if (exact !== undefined) return ratio(exact)
  return real(a.im === 0 && b.im === 0 ? a.re - b.re * Math.floor(a.re / b.re) : Number.NaN)
}

/** Factors joined by multiplication, division or remainder signs. */
function product(scope: Scope): Term {
  let total = readSigned(scope, chain)
  for (;;) {
    if (scope.text.take(timesSign) !== undefined) total = both(times, total, readSigned(scope, chain))
    else if (scope.text.take(overSign) !== undefined) total = both(over, total, readSigned(scope, chain))
    else if (scope.text.take(modSign) !== undefined) total = both(remainder, total, readSigned(scope, chain))
    else return total
  }
}

function readSigned(scope: Scope, read: (scope: Scope) => Term): Term {
  let isNegative = false
  for (;;) {
    if (scope.text.take(minusSign) !== undefined) isNegative = !isNegative
    else if (scope.text.take(plusSign) === undefined) break
  }
  const value = read(scope)
  return isNegative ? values => minus(real(0), value(values)) : value
}

/** Factors without a sign between them. */
function chain(scope: Scope): Term {
  const first = readPower(scope)
  if (first === undefined) throw new Unreadable('a factor is missing')
  return readFactors(scope, first, () => true)
}

/** The argument of a function without brackets. It ends before the next function or multiplication sign. */
function bareArgument(scope: Scope): Term {
  return readSigned(scope, () => {
    const first = readPower(scope)
    if (first === undefined) throw new Unreadable('an argument is missing')
    const isOwn = (): boolean => !scope.text.sees(startsFunction)
    let total = readFactors(scope, first, isOwn)
    while (scope.text.take(overSign) !== undefined) total = both(over, total, chain(scope))
    return total
  })
}

function readFactors(scope: Scope, first: Term, isOwn: () => boolean): Term {
  let total = first
  while (isOwn()) {
    const next = readPower(scope)
    if (next === undefined) return total
    total = both(times, total, next)
  }
  return total
}

/** An item with its exponents, factorials, and per cent and degree signs. */
function readPower(scope: Scope): Term | undefined {
  let base = atom(scope)
  if (base === undefined) return undefined
  for (;;) {
    const value: Term = base
    if (scope.text.take(degrees) !== undefined)
      base = scope.isAngle === true ? both(times, value, constant(Math.PI / 180)) : value
    else if (scope.text.take(primes) !== undefined) base = value
    else if (scope.text.take(/!/y) !== undefined) base = values => computeFactorial(value(values))
    else if (scope.text.take(/\\?%/y) !== undefined) base = both(over, value, constant(100))
    else if (scope.text.take(powerSign) !== undefined) base = both(power, value, readSigned(scope, exponent))
    else return value
  }
}

/** An exponent: all digits of a number, as in `2^10`, else a single item. */
function exponent(scope: Scope): Term {
  const value = atom(scope)
  if (value === undefined) throw new Unreadable('an exponent is missing')
  return value
}

const number = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+(?![\d.]))?/y
const mixed = /\d+(?=\s*\\frac\s*(?:\{\s*\d+\s*\}|\d)\s*(?:\{\s*\d+\s*\}|\d))|\d+(?=\s+\d+\s*\/\s*\d+(?![\d.]))/y
const repeated = /(?<=\.\d*)\\(?:overline|bar|dot)\s*\{\d+\}/y
const numberBase = /_\s*(?:\{\s*\d+\s*\}|\d)/y
const fraction = /\\frac(?![a-zA-Z])/y
const binomial = /\\binom(?![a-zA-Z])/y
const opened: readonly (readonly [open: RegExp, close: RegExp])[] = [
  [/\(/y, /\)/y],
  [/\[/y, /\]/y],
]

/**
 * A single item: a number, a variable, a bracketed sum, or a function with its argument. Undefined if none starts
 * here.
 */
function atom(scope: Scope): Term | undefined {
  const { text } = scope
  if (scope.isIntegrand === true && text.sees(differential)) return undefined
  if (text.sees(mixed)) return mixedNumber(scope)
  if (text.sees(number)) return numeral(scope)
  for (const [open, close] of opened) if (text.take(open) !== undefined) return readEnclosed(scope, sum, close)
  if (text.sees(/\{/y)) return group(scope)
  const term = calculus(scope)
  if (term !== undefined) return term
  if (text.sees(fraction)) return readFraction(scope)
  if (text.take(binomial) !== undefined) return both(choose, argument(scope), argument(scope))
  return calledFunction(scope) ?? roundedOrSummed(scope) ?? variable(scope)
}

/** A group in braces, which `\over` or `\choose` can divide. */
function group(scope: Scope): Term {
  scope.text.expect(/\{/y)
  return readEnclosed(scope, readInfix, /\}/y)
}

function readInfix(scope: Scope): Term {
  const first = sum(scope)
  if (scope.text.take(/\\over(?![a-zA-Z])/y) !== undefined) return both(over, first, sum(scope))
  return scope.text.take(/\\choose(?![a-zA-Z])/y) === undefined ? first : both(choose, first, sum(scope))
}

const choose = (n: Complex, k: Complex): Complex =>
  over(computeFactorial(n), times(computeFactorial(k), computeFactorial(minus(n, k))))

function mixedNumber(scope: Scope): Term {
  const whole = parseNumeral(scope.text.expect(/\d+/y))
  if (scope.text.sees(fraction)) return both(plus, whole, readFraction(scope))
  const top = parseNumeral(scope.text.expect(/\d+/y))
  scope.text.expect(/\//y)
  return both(plus, whole, both(over, top, parseNumeral(scope.text.expect(/\d+/y))))
}

function numeral(scope: Scope): Term {
  const digits = scope.text.expect(number)
  const more = scope.text.take(repeated)?.match(/\d+/)?.[0]
  scope.text.take(numberBase)
  if (more === undefined) return parseNumeral(digits)
  const decimals = (digits.split('.')[1] ?? '').length
  const ninths = both(over, parseNumeral(`${more}e-${String(decimals)}`), parseNumeral('9'.repeat(more.length)))
  return both(plus, parseNumeral(digits), ninths)
}

function readFraction(scope: Scope): Term {
  scope.text.expect(fraction)
  return both(over, argument(scope), argument(scope))
}

const grammar: Grammar = { sum, product, exponent, bareArgument }
