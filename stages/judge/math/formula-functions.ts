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
  real,
  sine,
  times,
  type Complex,
} from './complex.js'

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

/** Functions of one number, by the name of their command. */
export const functionsOfOne: Readonly<Record<string, ComplexFunction>> = {
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

/** What `\sin^{-1}` and the like are. */
export const inverses: Readonly<Record<string, string>> = {
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

/** Functions of several numbers. */
export const functionsOfSeveral: Readonly<Record<string, (values: readonly Complex[]) => Complex>> = {
  max: fold(Math.max),
  min: fold(Math.min),
  gcd: fold(greatestDivisor),
  lcm: fold((a, b) => Math.abs(a * b) / greatestDivisor(a, b)),
}
