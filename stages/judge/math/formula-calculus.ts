import { passNames } from './bound-variable.js'
import { real, type Complex } from './complex.js'
import { exponent, product, sum } from './formula-terms.js'
import { constant, type Scope, type Term, type Values } from './formula.js'
import { derivativeAt, integralOf, limitAt, type RealFunction } from './numeric-calculus.js'

const integralSign = /\\int(?![a-zA-Z])\s*(?:\\limits(?![a-zA-Z]))?/y
const limitSign = /\\lim(?![a-zA-Z])\s*(?:\\limits(?![a-zA-Z]))?/y
const derivativeSign = /\\frac\s*\{\s*(?:d|\\partial)\s*\}\s*\{\s*(?:d|\\partial)\s*[a-zA-Z]\s*\}/y
const infinity = /[-−+]?\s*\\infty(?![a-zA-Z])/y
const oneSided = /\^\s*(?:\{\s*[-+]\s*\}|[-+])/y

/** What ends an integrand: `dx`. */
export const differential = /(?:\\text\s*\{\s*d\s*\}|d)\s*[a-zA-Z](?![a-zA-Z])/y

/** Integrals between bounds, derivatives by one variable, limits. Undefined where none begins here. */
export function calculus(scope: Scope): Term | undefined {
  const derivative = scope.text.take(derivativeSign)
  if (derivative !== undefined) return derivativeOf(scope, /([a-zA-Z])\s*\}$/.exec(derivative)?.[1] ?? '')
  if (scope.text.take(integralSign) !== undefined) return integral(scope)
  return scope.text.take(limitSign) === undefined ? undefined : limit(scope)
}

function integral(scope: Scope): Term {
  scope.text.expect(/_/y)
  const from = bound(scope)
  scope.text.expect(/\^/y)
  const to = bound(scope)
  const own = new Set<string>()
  const body = sum({ ...scope, names: own, isIntegrand: true })
  const name = scope.text.expect(differential).at(-1)?.toLowerCase() ?? ''
  passNames(own, scope, name)
  return values => real(integralOf(ofVariable(scope, body, name)(values), from(values).re, to(values).re))
}

/** In braces or not; infinite ones, too. */
function bound(scope: Scope): Term {
  const isGroup = scope.text.take(/\{/y) !== undefined
  const infinite = scope.text.take(infinity)
  const value = infinite === undefined ? (isGroup ? sum(scope) : exponent(scope)) : infiniteOf(infinite)
  if (isGroup) scope.text.expect(/\}/y)
  return value
}

function infiniteOf(written: string): Term {
  const value = real(/^[-−]/.test(written) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY)
  return () => value
}

function derivativeOf(scope: Scope, written: string): Term {
  const name = written.toLowerCase()
  const body = product(scope)
  scope.names.add(name)
  return values => real(derivativeAt(ofVariable(scope, body, name)(values), values(name).re))
}

function limit(scope: Scope): Term {
  scope.text.expect(/_\s*\{/y)
  const name = scope.text.expect(/[a-zA-Z]/y).toLowerCase()
  scope.text.expect(/\\(?:to|rightarrow)(?![a-zA-Z])|→/y)
  const infinite = scope.text.take(infinity)
  const at = infinite === undefined ? place(scope) : infiniteOf(infinite)
  const side = scope.text.take(oneSided)
  const sign = side === undefined ? 0 : side.includes('-') ? -1 : 1
  scope.text.expect(/\}/y)
  const own = new Set<string>()
  const body = product({ ...scope, names: own })
  passNames(own, scope, name)
  return values => real(limitAt(ofVariable(scope, body, name)(values), at(values).re, sign))
}

/** Of `2^+` the 2. */
function place(scope: Scope): Term {
  const written = scope.text.take(/[-−]?\s*\d+(?:\.\d+)?(?=\s*\^)/y)
  return written === undefined ? sum(scope) : constant(Number(written.replace('−', '-').replace(/\s/g, '')))
}

const ofVariable =
  ({ effort }: Scope, body: Term, variable: string) =>
  (values: Values): RealFunction =>
  x =>
    effort.left-- > 0 ? realOf(body(name => (name === variable ? real(x) : values(name)))) : Number.NaN

const realOf = ({ re, im }: Complex): number => (im === 0 ? re : Number.NaN)
