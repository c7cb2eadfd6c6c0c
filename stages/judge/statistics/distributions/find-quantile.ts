/** The search for roots of functions, and for quantiles of continuous distributions. */

interface RootSearch {
  readonly low: number
  readonly high: number
  readonly guess: number
  /** An increasing function with its slope. */
  readonly evaluate: (x: number) => { readonly value: number; readonly slope: number }
}

/**
 * Finds the root of an increasing function by Newton's method inside a bracket. It returns the nearer end if there is
 * no root between `low` and `high`.
 */
export function findRoot({ low, high, guess, evaluate }: RootSearch): number {
  let x = Math.min(high, Math.max(low, guess))
  for (let i = 0; i < 2_000; i++) {
    const { value, slope } = evaluate(x)
    if (value === 0) return x
    // An underflow makes the value infinite, or NaN below the support.
    if (value > 0) high = x
    else low = x
    const newton = x - value / slope
    const next = newton > low && newton < high ? newton : (low + high) / 2
    if (Math.abs(next - x) < 1e-15 * Math.max(1, Math.abs(x))) return next
    x = next
  }
  return x
}

/**
 * Finds the x in [low, high] where a continuous function crosses 0. `f(low)` and `f(high)` must have different signs.
 *
 * Source: the Illinois form of false position, Dowell & Jarratt, BIT 11 (1971). It bisects if that is slow.
 *
 * @throws RangeError if the function has the same sign at both ends
 */
export function findCrossing(f: (x: number) => number, low: number, high: number): number {
  let [a, b] = [low, high]
  let [fa, fb] = [f(a), f(b)]
  if (fa === 0) return a
  if (fb === 0) return b
  if (fa < 0 === fb < 0) throw new RangeError(`the function has one sign on [${low}, ${high}]`)
  for (let i = 0; i < 200; i++) {
    const secant = b - (fb * (b - a)) / (fb - fa)
    const isInside = secant > Math.min(a, b) && secant < Math.max(a, b)
    const x = i % 8 < 6 && isInside ? secant : (a + b) / 2
    const fx = f(x)
    if (fx === 0) return x
    if (fx < 0 === fb < 0) fa /= 2
    else [a, fa] = [b, fb]
    ;[b, fb] = [x, fx]
    if (Math.abs(b - a) <= 4e-16 * Math.max(Math.abs(a), Math.abs(b))) break
    if (Math.abs(fb) < 1e-16 && Math.abs(fa) < 1e-16) break
  }
  return b
}

interface PositiveDistribution {
  readonly cdf: (x: number) => number
  readonly sf: (x: number) => number
  readonly pdf: (x: number) => number
  readonly guess: number
}

/** Finds the quantile of a distribution on (0, ∞) with P(X ≤ x) = p and P(X > x) = q, by the smaller tail's logarithm. */
export function findPositiveQuantile(p: number, q: number, { cdf, sf, pdf, guess }: PositiveDistribution): number {
  if (!(p >= 0 && q >= 0)) return Number.NaN
  if (p === 0) return 0
  if (q === 0) return Infinity
  const isLowerTail = p <= q
  const target = Math.log(isLowerTail ? p : q)
  const u = findRoot({
    low: -745,
    high: 709,
    guess: Math.log(guess),
    evaluate: u => {
      const x = Math.exp(u)
      const tail = isLowerTail ? cdf(x) : sf(x)
      const distance = Math.log(tail) - target
      return { value: isLowerTail ? distance : -distance, slope: (pdf(x) * x) / tail }
    },
  })
  return u <= -745 ? 0 : Math.exp(u)
}
