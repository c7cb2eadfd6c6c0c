import type { Rational } from '../numbers/rational.js'
import { exactDivisor, exactMultiple } from '../numbers/whole-functions.js'
import {
  absolute,
  cosine,
  exponential,
  logarithm,
  minus,
  ofReal,
  over,
  plus,
  power,
  ratio,
  real,
  sine,
  times,
  type Complex,
} from './complex.js'
import {
  argument,
  both,
  constant,
  parseNumeral,
  readEnclosed,
  readList,
  type Scope,
  type Term,
} from './formula-scope.js'

type ComplexFunction = (a: Complex) => Complex

const one = real(1)
const half = real(0.5)
const reciprocal =
  (f: ComplexFunction): ComplexFunction =>
  a =>
    over(one, f(a))
const tangent: ComplexFunction = a => over(sine(a), cosine(a))
const sinh: ComplexFunction = a => times(minus(exponential(a), exponential(minus(real(0), a))), half)
const cosh: ComplexFunction = a => times(plus(exponential(a), exponential(minus(real(0), a))), half)

/** Functions of one number by command name. */
const functionsOfOne: Readonly<Record<string, ComplexFunction>> = {
  sin: sine,
  cos: cosine,
  tan: tangent,
  cot: reciprocal(tangent),
  sec: reciprocal(cosine),
  csc: reciprocal(sine),
  sinh,
  cosh,
  tanh: a => over(sinh(a), cosh(a)),
  arcsin: ofReal(Math.asin),
  arccos: ofReal(Math.acos),
  arctan: ofReal(Math.atan),
  asin: ofReal(Math.asin),
  acos: ofReal(Math.acos),
  atan: ofReal(Math.atan),
  arccot: ofReal(x => Math.PI / 2 - Math.atan(x)),
  exp: exponential,
  ln: logarithm,
  abs: absolute,
  sqrt: a => power(a, half),
}

/** The inverse functions that `\sin^{-1}` and similar formulas mean. */
const inverses: Readonly<Record<string, string>> = {
  sin: 'arcsin',
  cos: 'arccos',
  tan: 'arctan',
  cot: 'arccot',
}

const fold =
  (f: (a: number, b: number) => number) =>
  (values: readonly Complex[]): Complex =>
    values.some(({ im }) => im !== 0)
      ? real(Number.NaN)
      : real(values.map(({ re }) => re).reduce((total, next) => f(total, next)))

const greatestDivisor = (a: number, b: number): number => {
  let [x, y] = [Math.abs(a), Math.abs(b)]
  while (y > 0) [x, y] = [y, x % y]
  return x
}

/** Folds exact numbers by `exact`, and others by `other`. */
function foldExactly(
  exact: (a: Rational, b: Rational) => Rational | undefined,
  other: (values: readonly Complex[]) => Complex,
) {
  return (values: readonly Complex[]): Complex => {
    const result = values.map(value => value.exact).reduce((total, next) => total && next && exact(total, next))
    return result === undefined ? other(values) : ratio(result)
  }
}

/** Functions of several numbers by command name. */
const functionsOfSeveral: Readonly<Record<string, (values: readonly Complex[]) => Complex>> = {
  max: fold(Math.max),
  min: fold(Math.min),
  gcd: foldExactly(exactDivisor, fold(greatestDivisor)),
  lcm: foldExactly(
    exactMultiple,
    fold((a, b) => Math.abs(a * b) / greatestDivisor(a, b)),
  ),
}

const words = [...Object.keys(functionsOfOne), ...Object.keys(functionsOfSeveral), 'log']
  .sort((a, b) => b.length - a.length)
  .join('|')

/** Matches the name of a function: a command, `\operatorname`, or a plain word. */
export const startsFunction = new RegExp(
  `\\\\(?:${words})(?![a-zA-Z])|\\\\(?:operatorname|mathrm|text)\\s*\\{\\s*(?:${words})\\s*\\}|(?:${words})(?![a-zA-Z])|[√∛∜]`,
  'y',
)

/** Reads a function with its argument. Undefined if none starts here. */
export function calledFunction(scope: Scope): Term | undefined {
  const notation = scope.text.take(startsFunction)
  if (notation === undefined) return undefined
  const sign = '√∛∜'.indexOf(notation.charAt(0))
  if (sign >= 0) return rootBySign(scope, sign + 2)
  const name = notation.replace(/\\(?:operatorname|mathrm|text)(?![a-zA-Z])|[\\{}\s]/g, '')
  if (name === 'sqrt') return root(scope)
  if (name === 'log') return logarithmTo(scope)
  const several = functionsOfSeveral[name]
  if (several !== undefined) return functionOfSeveral(scope, several)
  const raised = scope.text.take(/\^|\*\*/y) === undefined ? undefined : scope.grammar.exponent(scope)
  const value = readArgument({ ...scope, isAngle: true })
  return raised === undefined ? applyFunction(name, value) : raisedFunction(name, value, raised)
}

/** Applies an exponent: `\sin^{-1}` is the inverse function, other exponents are powers of the value. */
function raisedFunction(name: string, value: Term, raised: Term): Term {
  const inverse = inverses[name]
  const isInverse = raised(() => real(Number.NaN)).re === -1 && inverse !== undefined
  return isInverse ? applyFunction(inverse, value) : both(power, applyFunction(name, value), raised)
}

const applyFunction = (name: string, argument: Term): Term => {
  const f = functionsOfOne[name] ?? ((): Complex => real(Number.NaN))
  return values => f(argument(values))
}

function readArgument(scope: Scope): Term {
  if (scope.text.take(/\(/y) !== undefined) return readEnclosed(scope, scope.grammar.sum, /\)/y)
  return scope.text.sees(/\{/y) ? argument(scope) : scope.grammar.bareArgument(scope)
}

function root(scope: Scope): Term {
  const degree = scope.text.take(/\[/y) === undefined ? undefined : readEnclosed(scope, scope.grammar.sum, /\]/y)
  const value = argument(scope)
  return values => computeRoot(value(values), degree?.(values).re ?? 2)
}

/** Reads the root of a sign in plain text, which holds for all digits of a number: √16 is 4. TeX's `\\sqrt16` takes one digit. */
function rootBySign(scope: Scope, degree: number): Term {
  const digits = scope.text.take(/\d+(?:\.\d+)?/y)
  const value = digits === undefined ? argument(scope) : parseNumeral(digits)
  return values => computeRoot(value(values), degree)
}

const computeRoot = (a: Complex, degree: number): Complex =>
  a.im === 0 && a.re < 0 && degree % 2 === 1 ? real(-((-a.re) ** (1 / degree))) : power(a, real(1 / degree))

/** Reads the base below `\log`, which is 10 if absent. */
function logarithmTo(scope: Scope): Term {
  const base = scope.text.take(/_/y) === undefined ? constant(10) : argument(scope)
  const value = readArgument(scope)
  return both((a, b) => over(logarithm(a), logarithm(b)), value, base)
}

function functionOfSeveral(scope: Scope, f: (values: readonly Complex[]) => Complex): Term {
  const close = scope.text.take(/\\\{/y) === undefined ? /\)/y : /\\\}/y
  if (close.source === '\\)') scope.text.expect(/\(/y)
  const args = readEnclosed(scope, readList, close)
  return values => f(args.map(arg => arg(values)))
}
