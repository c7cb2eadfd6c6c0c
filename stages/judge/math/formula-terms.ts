import { atom } from './formula-atoms.js'
import { startsFunction } from './formula-calls.js'
import { constant, type Scope, type Term } from './formula.js'
import { factorial, minus, over, plus, power, real, times, type Complex } from './complex.js'
import { Unreadable } from './formula-text.js'

const plusSign = /\+/y
const minusSign = /[-−–]/y
const timesSign = /\\(?:cdot|times|ast)(?![a-zA-Z])|\*(?!\*)|[×·⋅∗]/y
const overSign = /\/|\\div(?![a-zA-Z])|[÷:]/y
const modSign = /\\[bp]?mod(?![a-zA-Z])/y
const powerSign = /\^|\*\*/y
const degrees = /\^\s*(?:\\circ(?![a-zA-Z])|\{\s*\\circ\s*\})|°/y
const primes = /'+|\^\s*(?:\\prime(?![a-zA-Z])|\{\s*(?:\\prime\s*)+\})/y

type Operation = (a: Complex, b: Complex) => Complex

const combined =
  (operation: Operation, a: Term, b: Term): Term =>
  values =>
    operation(a(values), b(values))

/** Terms with signs between them. */
export function sum(scope: Scope): Term {
  let total = product(scope)
  for (;;) {
    if (scope.text.take(plusSign) !== undefined) total = combined(plus, total, product(scope))
    else if (scope.text.take(minusSign) !== undefined) total = combined(minus, total, product(scope))
    else return total
  }
}

const remainder: Operation = (a, b) =>
  real(a.im === 0 && b.im === 0 ? a.re - b.re * Math.floor(a.re / b.re) : Number.NaN)

/** Factors with signs of multiplication, division or remainders between them. */
export function product(scope: Scope): Term {
  let total = signed(scope, chain)
  for (;;) {
    if (scope.text.take(timesSign) !== undefined) total = combined(times, total, signed(scope, chain))
    else if (scope.text.take(overSign) !== undefined) total = combined(over, total, signed(scope, chain))
    else if (scope.text.take(modSign) !== undefined) total = combined(remainder, total, signed(scope, chain))
    else return total
  }
}

function signed(scope: Scope, read: (scope: Scope) => Term): Term {
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
  const first = powered(scope)
  if (first === undefined) throw new Unreadable('a factor is missing')
  return continued(scope, first, () => true)
}

/** The argument of a function without brackets: it ends before the next function, or a sign of multiplication. */
export function bareArgument(scope: Scope): Term {
  return signed(scope, () => {
    const first = powered(scope)
    if (first === undefined) throw new Unreadable('an argument is missing')
    const isOwn = (): boolean => !scope.text.sees(startsFunction)
    let total = continued(scope, first, isOwn)
    while (scope.text.take(overSign) !== undefined) total = combined(over, total, chain(scope))
    return total
  })
}

function continued(scope: Scope, first: Term, isOwn: () => boolean): Term {
  let total = first
  while (isOwn()) {
    const next = powered(scope)
    if (next === undefined) return total
    total = combined(times, total, next)
  }
  return total
}

const factorialOf = ({ re, im }: Complex): Complex => real(im === 0 ? factorial(re) : Number.NaN)

/** With what stands behind it: exponents, factorials, signs of per cent and degrees. */
function powered(scope: Scope): Term | undefined {
  let base = atom(scope)
  if (base === undefined) return undefined
  for (;;) {
    const value: Term = base
    if (scope.text.take(degrees) !== undefined)
      base = scope.isAngle === true ? combined(times, value, constant(Math.PI / 180)) : value
    else if (scope.text.take(primes) !== undefined) base = value
    else if (scope.text.take(/!/y) !== undefined) base = values => factorialOf(value(values))
    else if (scope.text.take(/\\?%/y) !== undefined) base = combined(over, value, constant(100))
    else if (scope.text.take(powerSign) !== undefined) base = combined(power, value, signed(scope, exponent))
    else return value
  }
}

/** All digits of a number, as in `2^10`, else one thing. */
export function exponent(scope: Scope): Term {
  const value = atom(scope)
  if (value === undefined) throw new Unreadable('an exponent is missing')
  return value
}
