/** Integrals, derivatives and limits by numbers, to about ten places where the function is smooth; NaN where it is not. */

export type RealFunction = (x: number) => number

/**
 * Between two bounds, which may be infinite.
 *
 * Source: Takahasi and Mori, "Double exponential formulas for numerical integration" (1974).
 */
export function integralOf(f: RealFunction, from: number, to: number): number {
  if (from === to) return 0
  if (from > to) return -integralOf(f, to, from)
  if (to === Infinity && from === -Infinity) return integralOf(f, from, 0) + integralOf(f, 0, to)
  if (from === -Infinity) return integralOf(x => f(-x), -to, Infinity)
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
    // Of the whole stretch, and to all places where it is small.
    const part = Math.exp(2 * Math.min(inner, 0)) / (1 + Math.exp(-2 * Math.abs(inner)))
    const x = isHalf ? from + Math.exp(inner) : from + (to - from) * part
    const weight = isHalf ? Math.exp(inner) * slope : (((to - from) / 2) * slope) / Math.cosh(inner) ** 2
    const value = f(x) * weight
    // At the very ends, where rounding makes the bound itself of a place beside it, a pole is no matter.
    if (Number.isFinite(value)) total += value
    else if (x !== from && x !== to && Math.abs(t) < 3) return Number.NaN
  }
  return total * step
}

const stencil = [4 / 5, -1 / 5, 4 / 105, -1 / 280]

/** By central differences of the eighth order. */
export function derivativeAt(f: RealFunction, x: number): number {
  const step = 0.01 * Math.max(1, Math.abs(x))
  const at = (times: number): number => f(x + times * step) - f(x - times * step)
  return stencil.reduce((total, weight, index) => total + weight * at(index + 1), 0) / step
}

/** From both sides, which must agree, or from above (`side` 1) or below (−1). */
export function limitAt(f: RealFunction, at: number, side: -1 | 0 | 1): number {
  if (at === Infinity) return limitAt(t => f(1 / t), 0, 1)
  if (at === -Infinity) return limitAt(t => f(1 / t), 0, -1)
  if (side !== 0) return extrapolated(h => f(at + side * h))
  const [above, below] = [limitAt(f, at, 1), limitAt(f, at, -1)]
  return Math.abs(above - below) <= 1e-6 * Math.max(1, Math.abs(above)) ? (above + below) / 2 : Number.NaN
}

const points = 9

/** The value at 0 of the polynomial through those at 0.2, 0.1, 0.05…: Neville's scheme. */
function extrapolated(f: RealFunction): number {
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
