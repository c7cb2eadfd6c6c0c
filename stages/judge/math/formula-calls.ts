import { logarithm, over, power, real, type Complex } from './complex.js'
import { argument, both, enclosed } from './formula-atoms.js'
import { functionsOfOne, functionsOfSeveral, inverses } from './formula-functions.js'
import { bareArgument, exponent, sum } from './formula-terms.js'
import { constant, type Scope, type Term } from './formula.js'

const words = [...Object.keys(functionsOfOne), ...Object.keys(functionsOfSeveral), 'log']
  .sort((a, b) => b.length - a.length)
  .join('|')

/** The name of a function, as a command, in `\operatorname`, or as a plain word. */
export const startsFunction = new RegExp(
  `\\\\(?:${words})(?![a-zA-Z])|\\\\(?:operatorname|mathrm|text)\\s*\\{\\s*(?:${words})\\s*\\}|(?:${words})(?![a-zA-Z])|√`,
  'y',
)

/** A function with its argument; undefined where none begins here. */
export function calledFunction(scope: Scope): Term | undefined {
  const written = scope.text.take(startsFunction)
  if (written === undefined) return undefined
  const name = written.replace(/\\(?:operatorname|mathrm|text)(?![a-zA-Z])|[\\{}\s]/g, '').replace('√', 'sqrt')
  if (name === 'sqrt') return root(scope)
  if (name === 'log') return logarithmTo(scope)
  const several = functionsOfSeveral[name]
  if (several !== undefined) return functionOfSeveral(scope, several)
  const raised = scope.text.take(/\^|\*\*/y) === undefined ? undefined : exponent(scope)
  const value = argumentOf({ ...scope, isAngle: true })
  return raised === undefined ? applied(name, value) : raisedFunction(name, value, raised)
}

/** `\sin^{-1}` is the inverse function, other exponents are powers of the value. */
function raisedFunction(name: string, value: Term, raised: Term): Term {
  const inverse = inverses[name]
  const isInverse = raised(() => real(Number.NaN)).re === -1 && inverse !== undefined
  return isInverse ? applied(inverse, value) : both(power, applied(name, value), raised)
}

const applied = (name: string, argument: Term): Term => {
  const f = functionsOfOne[name] ?? ((): Complex => real(Number.NaN))
  return values => f(argument(values))
}

function argumentOf(scope: Scope): Term {
  if (scope.text.take(/\(/y) !== undefined) return enclosed(scope, sum, /\)/y)
  return scope.text.sees(/\{/y) ? argument(scope) : bareArgument(scope)
}

function root(scope: Scope): Term {
  const degree = scope.text.take(/\[/y) === undefined ? undefined : enclosed(scope, sum, /\]/y)
  const value = argument(scope)
  return values => rootOf(value(values), degree?.(values).re ?? 2)
}

const rootOf = (a: Complex, degree: number): Complex =>
  a.im === 0 && a.re < 0 && degree % 2 === 1 ? real(-((-a.re) ** (1 / degree))) : power(a, real(1 / degree))

/** To the base that is written below it, or 10. */
function logarithmTo(scope: Scope): Term {
  const base = scope.text.take(/_/y) === undefined ? constant(10) : argument(scope)
  const value = argumentOf(scope)
  return both((a, b) => over(logarithm(a), logarithm(b)), value, base)
}

function functionOfSeveral(scope: Scope, f: (values: readonly Complex[]) => Complex): Term {
  const close = scope.text.take(/\\\{/y) === undefined ? /\)/y : /\\\}/y
  if (close.source === '\\)') scope.text.expect(/\(/y)
  const args = enclosed(scope, listed, close)
  return values => f(args.map(arg => arg(values)))
}

export function listed(scope: Scope): readonly Term[] {
  const terms = [sum(scope)]
  while (scope.text.take(/,/y) !== undefined) terms.push(sum(scope))
  return terms
}
