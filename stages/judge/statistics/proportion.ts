import { normalQuantile } from './normal.js'

const z95 = normalQuantile(0.975)

/**
 * The Wilson score interval of `successes` in `n` trials, in [0, 1]. `z` is the normal quantile: 95 % where none is given.
 *
 * Source: Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927).
 */
export function wilson(successes: number, n: number, z: number = z95): readonly [number, number] {
  const share = successes / n
  const square = z * z
  const centre = (share + square / (2 * n)) / (1 + square / n)
  const half = (z / (1 + square / n)) * Math.sqrt((share * (1 - share)) / n + square / (4 * n * n))
  // At the ends the bound is the end itself; rounding would leave 10⁻¹⁷.
  const low = successes === 0 ? 0 : Math.max(0, centre - half)
  const high = successes === n ? 1 : Math.min(1, centre + half)
  return [low, high]
}
