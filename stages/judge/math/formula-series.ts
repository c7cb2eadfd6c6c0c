import { negate } from '../numbers/rational.js'
import { exactFloor } from '../numbers/whole-functions.js'
import { absolute, plus, ratio, real, times, type Complex } from './complex.js'
import { readEnclosed, passNames, type Scope, type Term } from './formula-scope.js'

const lineBar = /\||\\vert(?![a-zA-Z])/y

const floor = ({ re, im, exact }: Complex): Complex =>
  exact === undefined ? real(im === 0 ? Math.floor(re) : Number.NaN) : ratio(exactFloor(exact))

const roundUp = ({ re, im, exact }: Complex): Complex =>
  exact === undefined ? real(im === 0 ? Math.ceil(re) : Number.NaN) : ratio(negate(exactFloor(negate(exact))))

const brackets: readonly (readonly [open: RegExp, close: RegExp, f: (a: Complex) => Complex])[] = [
  [/\\lfloor(?![a-zA-Z])|⌊/y, /\\rfloor(?![a-zA-Z])|⌋/y, floor],
  [/\\lceil(?![a-zA-Z])|⌈/y, /\\rceil(?![a-zA-Z])|⌉/y, roundUp],
  [/\\lvert(?![a-zA-Z])/y, /\\rvert(?![a-zA-Z])/y, absolute],
]

const operators: readonly (readonly [sign: RegExp, start: number, f: (a: Complex, b: Complex) => Complex])[] = [
  [/\\sum(?![a-zA-Z])/y, 0, plus],
  [/\\prod(?![a-zA-Z])/y, 1, times],
]

/** Reads an absolute value, a rounded number, or a sum or product over a range of whole numbers. */
export function roundedOrSummed(scope: Scope): Term | undefined {
  for (const [open, close, f] of brackets)
    if (scope.text.take(open) !== undefined) return applyFunction(f, readEnclosed(scope, scope.grammar.sum, close))
  if (scope.isInBars !== true && scope.text.take(lineBar) !== undefined)
    return applyFunction(absolute, readEnclosed({ ...scope, isInBars: true }, scope.grammar.sum, lineBar))
  for (const [sign, start, f] of operators) if (scope.text.take(sign) !== undefined) return series(scope, start, f)
  return undefined
}

const applyFunction =
  (f: (a: Complex) => Complex, a: Term): Term =>
  values =>
    f(a(values))

/** The largest number of terms that are evaluated. */
const longest = 10_000

/** Reads `_{k=1}^{n}` and the term. The index is not a variable of the formula. */
function series(scope: Scope, start: number, f: (a: Complex, b: Complex) => Complex): Term {
  scope.text.expect(/_\s*\{/y)
  const index = scope.text.expect(/[a-zA-Z]/y).toLowerCase()
  scope.text.expect(/=/y)
  const from = readEnclosed(scope, scope.grammar.sum, /\}/y)
  scope.text.expect(/\^/y)
  const to = scope.grammar.exponent(scope)
  const own = new Set<string>()
  const body = scope.grammar.product({ ...scope, names: own })
  passNames(own, scope, index)
  return values => {
    const [first, last] = [from(values), to(values)]
    if (!Number.isInteger(first.re) || !Number.isInteger(last.re) || last.re - first.re > longest)
      return real(Number.NaN)
    let total = real(start)
    for (let k = first.re; k <= last.re; k += 1) {
      if (scope.effort.left-- <= 0) return real(Number.NaN)
      total = f(
        total,
        body(name => (name === index ? real(k) : values(name))),
      )
    }
    return total
  }
}
