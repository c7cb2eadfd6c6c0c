import { plus, real, sine, times, type Complex } from './complex.js'
import { argument, constant, readEnclosed, readList, type Scope, type Term } from './formula-scope.js'

const pi = /\\pi(?![a-zA-Z])|π|pi(?![a-zA-Z])/y
const styled = /\\(?:math(?:bf|rm|it|sf|tt)|text(?:bf|rm|it)?|boldsymbol|mbox)(?![a-zA-Z])\s*(?=\{)/y
const decorated =
  /\\(?:vec|hat|bar|overline|tilde|widehat|overrightarrow|dot|mathbb|mathcal)\s*(?:\{[^{}]*\}|[a-zA-Z])/y
const greek =
  /\\(?:var)?(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron|rho|sigma|tau|upsilon|phi|chi|psi|omega|ell|hbar|infty|angle|triangle)(?![a-zA-Z])|∞/iy
const letters = 'αβγδεζηθικλμνξοπρστυφχψω'
const letterNames =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega'.split(
    ' ',
  )

/** The LaTeX command of a Greek letter: `\\alpha` for `α`. */
const command = (name: string): string => {
  const at = letters.indexOf(name.toLowerCase())
  return at < 0 ? name : `\\${letterNames[at] ?? name}`
}

const letter = /[a-zA-Zα-ωΑ-Ω]/y
const subscript = /_\s*(?:\{[^{}]*\}|\\[a-zA-Z]+|[^\s\\{}])/y
const word = /\{\s*[a-zA-Z][a-zA-Z ]+\}/y

/** Reads a variable, a constant, or an unknown function such as `f(x)`. Undefined if no name starts here. */
export function variable(scope: Scope): Term | undefined {
  const { text } = scope
  if (text.take(pi) !== undefined) return constant(Math.PI)
  if (text.take(styled) !== undefined) {
    const name = text.take(word)
    return name === undefined ? argument(scope) : makeVariable(scope, name)
  }
  const name = text.take(letter) ?? text.take(greek)?.replace('∞', '\\infty') ?? text.take(decorated)
  if (name === undefined) return undefined
  const index = text.take(subscript)?.replace(/[_{}\s]/g, '')
  if (index !== undefined) return makeVariable(scope, `${command(name)}_${index}`)
  if (name === 'e') return constant(Math.E)
  if (name === 'i') return () => imaginaryUnit
  return /^[fghFGHP]$/.test(name) && text.take(/\(/y) !== undefined
    ? unknownFunction(scope, name)
    : makeVariable(scope, command(name))
}

const imaginaryUnit = { re: 0, im: 1 }

function makeVariable({ names }: Scope, text: string): Term {
  const name = text.replace(/\s/g, '').toLowerCase()
  names.add(name)
  return values => values(name)
}

/**
 * A value that depends on the name and all arguments. Equal calls give equal values, and different calls give
 * different values.
 */
function unknownFunction(scope: Scope, name: string): Term {
  const own = makeVariable(scope, `${name}()`)
  const args = readEnclosed(scope, readList, /\)/y)
  return values => args.reduce<Complex>((total, arg) => sine(plus(times(total, real(1.7)), arg(values))), own(values))
}
