import { factorial, over, plus, real, type Complex } from './complex.js'
import { calculus, differential } from './calculus.js'
import { calledFunction } from './formula-calls.js'
import { constant, type Scope, type Term } from './formula.js'
import { variable } from './formula-names.js'
import { roundedOrSummed } from './formula-series.js'
import { exponent, sum } from './formula-terms.js'

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

/** One thing: a number, a variable, what lies in brackets, a function with its argument. Undefined where none begins here. */
export function atom(scope: Scope): Term | undefined {
  const { text } = scope
  if (scope.isIntegrand === true && text.sees(differential)) return undefined
  if (text.sees(mixed)) return mixedNumber(scope)
  if (text.sees(number)) return numeral(scope)
  for (const [open, close] of opened) if (text.take(open) !== undefined) return enclosed(scope, sum, close)
  if (text.sees(/\{/y)) return group(scope)
  const found = calculus(scope)
  if (found !== undefined) return found
  if (text.sees(fraction)) return fractionOf(scope)
  if (text.take(binomial) !== undefined) return both(choose, argument(scope), argument(scope))
  return calledFunction(scope) ?? roundedOrSummed(scope) ?? variable(scope)
}

/** What is read up to the bracket that closes it. */
export function enclosed<T>(scope: Scope, read: (scope: Scope) => T, close: RegExp): T {
  const value = scope.text.inside(() => read(scope))
  scope.text.expect(close)
  return value
}

/** A group in braces, which may be parted by `\over` or `\choose`. */
function group(scope: Scope): Term {
  scope.text.expect(/\{/y)
  return enclosed(scope, parted, /\}/y)
}

function parted(scope: Scope): Term {
  const first = sum(scope)
  if (scope.text.take(/\\over(?![a-zA-Z])/y) !== undefined) return both(over, first, sum(scope))
  return scope.text.take(/\\choose(?![a-zA-Z])/y) === undefined ? first : both(choose, first, sum(scope))
}

export const both =
  (operation: (a: Complex, b: Complex) => Complex, a: Term, b: Term): Term =>
  values =>
    operation(a(values), b(values))

const choose = (n: Complex, k: Complex): Complex =>
  real(n.im === 0 && k.im === 0 ? factorial(n.re) / (factorial(k.re) * factorial(n.re - k.re)) : Number.NaN)

/** A group, or the one digit or thing that follows. */
export function argument(scope: Scope): Term {
  const digit = scope.text.take(/\d/y)
  return digit === undefined ? exponent(scope) : constant(Number(digit))
}

function mixedNumber(scope: Scope): Term {
  const whole = constant(Number(scope.text.expect(/\d+/y)))
  if (scope.text.sees(fraction)) return both(plus, whole, fractionOf(scope))
  const top = Number(scope.text.expect(/\d+/y))
  scope.text.expect(/\//y)
  return both(plus, whole, constant(top / Number(scope.text.expect(/\d+/y))))
}

function numeral(scope: Scope): Term {
  const digits = scope.text.expect(number)
  const more = scope.text.take(repeated)?.match(/\d+/)?.[0]
  scope.text.take(numberBase)
  if (more === undefined) return constant(Number(digits))
  const places = 10 ** (digits.split('.')[1] ?? '').length
  return constant(Number(digits) + Number(more) / (10 ** more.length - 1) / places)
}

function fractionOf(scope: Scope): Term {
  scope.text.expect(fraction)
  return both(over, argument(scope), argument(scope))
}
