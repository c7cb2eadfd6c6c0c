import { real, type Complex } from './complex.js'
import { constant, passNames, type Scope, type Term, type Values } from './formula-scope.js'

const integralSign = /\\int(?![a-zA-Z])\s*(?:\\limits(?![a-zA-Z]))?/y
const limitSign = /\\lim(?![a-zA-Z])\s*(?:\\limits(?![a-zA-Z]))?/y
const derivativeSign = /\\frac\s*\{\s*(?:d|\\partial)\s*\}\s*\{\s*(?:d|\\partial)\s*[a-zA-Z]\s*\}/y
const infinity = /[-−+]?\s*\\infty(?![a-zA-Z])/y
const oneSided = /\^\s*(?:\{\s*[-+]\s*\}|[-+])/y

/** Matches the end of an integrand, such as `dx`. */
export const differential = /(?:\\text\s*\{\s*d\s*\}|d)\s*[a-zA-Z](?![a-zA-Z])/y

/** Reads an integral with bounds, a derivative or a limit. Undefined if none starts here. */
export function calculus(scope: Scope): Term | undefined {
  const derivative = scope.text.take(derivativeSign)
  if (derivative !== undefined) return readDerivative(scope, /([a-zA-Z])\s*\}$/.exec(derivative)?.[1] ?? '')
  if (scope.text.take(integralSign) !== undefined) return integral(scope)
  return scope.text.take(limitSign) === undefined ? undefined : limit(scope)
}

function integral(scope: Scope): Term {
  scope.text.expect(/_/y)
  const from = readBound(scope)
  scope.text.expect(/\^/y)
  const to = readBound(scope)
  const own = new Set<string>()
  const body = scope.grammar.sum({ ...scope, names: own, isIntegrand: true })
  const name = scope.text.expect(differential).at(-1)?.toLowerCase() ?? ''
  passNames(own, scope, name)
  return values => real(computeIntegral(ofVariable(scope, body, name)(values), from(values).re, to(values).re))
}

/** Reads a bound, with or without braces. It can be infinite. */
function readBound(scope: Scope): Term {
  const isGroup = scope.text.take(/\{/y) !== undefined
  const infinite = scope.text.take(infinity)
  const value =
    infinite === undefined
      ? isGroup
        ? scope.grammar.sum(scope)
        : scope.grammar.exponent(scope)
      : makeInfinity(infinite)
  if (isGroup) scope.text.expect(/\}/y)
  return value
}

function makeInfinity(text: string): Term {
  const value = real(/^[-−]/.test(text) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY)
  return () => value
}

function readDerivative(scope: Scope, text: string): Term {
  const name = text.toLowerCase()
  const body = scope.grammar.product(scope)
  scope.names.add(name)
  return values => real(derivativeAt(ofVariable(scope, body, name)(values), values(name).re))
}

function limit(scope: Scope): Term {
  scope.text.expect(/_\s*\{/y)
  const name = scope.text.expect(/[a-zA-Z]/y).toLowerCase()
  scope.text.expect(/\\(?:to|rightarrow)(?![a-zA-Z])|→/y)
  const infinite = scope.text.take(infinity)
  const at = infinite === undefined ? place(scope) : makeInfinity(infinite)
  const side = scope.text.take(oneSided)
  const sign = side === undefined ? 0 : side.includes('-') ? -1 : 1
  scope.text.expect(/\}/y)
  const own = new Set<string>()
  const body = scope.grammar.product({ ...scope, names: own })
  passNames(own, scope, name)
  return values => real(limitAt(ofVariable(scope, body, name)(values), at(values).re, sign))
}

/** Reads the point of a limit without its side: 2 for `2^+`. */
function place(scope: Scope): Term {
  const numeral = scope.text.take(/[-−]?\s*\d+(?:\.\d+)?(?=\s*\^)/y)
  return numeral === undefined
    ? scope.grammar.sum(scope)
    : constant(Number(numeral.replace('−', '-').replace(/\s/g, '')))
}

const ofVariable =
  ({ effort }: Scope, body: Term, variable: string) =>
  (values: Values): RealFunction =>
  x =>
    effort.left-- > 0 ? convertToReal(body(name => (name === variable ? real(x) : values(name)))) : Number.NaN

const convertToReal = ({ re, im }: Complex): number => (im === 0 ? re : Number.NaN)

/**
 * Numerical integrals, derivatives and limits. They are exact to about ten places for smooth functions, and NaN
 * otherwise.
 */

type RealFunction = (x: number) => number

/**
 * The integral between two bounds, which can be infinite.
 *
 * Source: Takahasi and Mori, "Double exponential formulas for numerical integration" (1974).
 */
function computeIntegral(f: RealFunction, from: number, to: number): number {
  if (from === to) return 0
  if (from > to) return -computeIntegral(f, to, from)
  if (to === Infinity && from === -Infinity) return computeIntegral(f, from, 0) + computeIntegral(f, 0, to)
  if (from === -Infinity) return computeIntegral(x => f(-x), -to, Infinity)
  const [coarse, fine] = [1 / 16, 1 / 32].map(step => doubleExponential(f, [from, to], step))
  if (coarse === undefined || fine === undefined) return Number.NaN
  return Math.abs(coarse - fine) <= 1e-9 * Math.max(1, Math.abs(fine)) ? fine : Number.NaN
}

const farthest = 4

function doubleExponential(f: RealFunction, [from, to]: readonly [number, number], step: number): number {
  let total = 0
  for (let t = -farthest; t <= farthest; t += step) {
    const [inner, slope] = [(Math.PI / 2) * Math.sinh(t), (Math.PI / 2) * Math.cosh(t)]
    const isHalf = to === Infinity
    // The position as a part of the interval's length, exact even if it is tiny.
    const part = Math.exp(2 * Math.min(inner, 0)) / (1 + Math.exp(-2 * Math.abs(inner)))
    const x = isHalf ? from + Math.exp(inner) : from + (to - from) * part
    const weight = isHalf ? Math.exp(inner) * slope : (((to - from) / 2) * slope) / Math.cosh(inner) ** 2
    const value = f(x) * weight
    // A pole at a bound is ignored. Rounding can move a position that is close to a bound onto it.
    if (Number.isFinite(value)) total += value
    else if (x !== from && x !== to && Math.abs(t) < 3) return Number.NaN
  }
  return total * step
}

const stencil = [4 / 5, -1 / 5, 4 / 105, -1 / 280]

/** The derivative by central differences of the eighth order. */
function derivativeAt(f: RealFunction, x: number): number {
  const step = 0.01 * Math.max(1, Math.abs(x))
  const at = (times: number): number => f(x + times * step) - f(x - times * step)
  return stencil.reduce((total, weight, index) => total + weight * at(index + 1), 0) / step
}

/** The limit from above (`side` 1), from below (−1), or from both sides, which must agree. */
function limitAt(f: RealFunction, at: number, side: -1 | 0 | 1): number {
  if (at === Infinity) return limitAt(t => f(1 / t), 0, 1)
  if (at === -Infinity) return limitAt(t => f(1 / t), 0, -1)
  if (side !== 0) return extrapolateLimit(h => f(at + side * h))
  const [above, below] = [limitAt(f, at, 1), limitAt(f, at, -1)]
  return Math.abs(above - below) <= 1e-6 * Math.max(1, Math.abs(above)) ? (above + below) / 2 : Number.NaN
}

const points = 9

/** Extrapolates to 0: the value there of the polynomial through the values at 0.2, 0.1, 0.05…, by Neville's scheme. */
function extrapolateLimit(f: RealFunction): number {
  const steps = Array.from({ length: points }, (_, index) => 0.2 / 2 ** index)
  let values = steps.map(f)
  let before = Number.NaN
  for (let order = 1; order < points; order++) {
    before = values.at(-1) ?? Number.NaN
    values = values.slice(1).map((value, index) => value + (value - (values[index] ?? 0)) / (2 ** order - 1))
  }
  const value = values[0] ?? Number.NaN
  return Math.abs(value - before) <= 1e-7 * Math.max(1, Math.abs(value)) ? value : Number.NaN
}
