/** The distribution of a test's sum at its looks, given that it crossed no boundary before, by recursive integration. */
import { normalCdf } from '../distributions/normal.js'

/** The density of the sum at points between the boundaries, times the points' weights in an integral. */
interface Survivors {
  readonly time: number
  readonly points: readonly number[]
  readonly masses: readonly number[]
}

/**
 * Computes the probability that |z| exceeds its boundary at one of the looks, if there is no difference.
 *
 * Source: Armitage, McPherson & Rowe, "Repeated Significance Tests on Accumulating Data", JRSS A 132 (1969).
 *
 * @param times the information at each look, rising
 * @param boundaries z at each look
 */
export function crossBoundaries(times: readonly number[], boundaries: readonly number[]): number {
  let total = 0
  followLooks(times, (cross, look) => {
    const z = boundaries[look] ?? Infinity
    total += cross(z)
    return z
  })
  return total
}

/**
 * Walks through the looks. At each, `choose` returns the boundary; `cross(z)` is the probability that |z| crosses it at
 * this look and at none before.
 */
export function followLooks(
  times: readonly number[],
  choose: (cross: (z: number) => number, look: number) => number,
): readonly number[] {
  const start: Survivors = { time: 0, points: [0], masses: [1] }
  let before = start
  return times.map((time, look) => {
    const survivors = before
    const step = Math.sqrt(time - survivors.time)
    const cross = (z: number): number => {
      const edge = z * Math.sqrt(time)
      return survivors.points.reduce((sum, point, i) => {
        const outside = normalCdf((point - edge) / step) + normalCdf((-point - edge) / step)
        return sum + (survivors.masses[i] ?? 0) * outside
      }, 0)
    }
    const z = choose(cross, look)
    before = moveOn(survivors, time, z * Math.sqrt(time))
    return z
  })
}

/** The survivors of a look: those whose sum is within ±edge. */
function moveOn({ time: last, points, masses }: Survivors, time: number, edge: number): Survivors {
  const step = Math.sqrt(time - last)
  // Beyond 25 deviations there is no mass that a double adds to another. Points closer than half a step resolve the normal kernel to 10⁻¹⁵.
  const reach = Math.min(edge, 25 * Math.sqrt(time))
  const rule = makeGaussRule(Math.min(2000, 24 + Math.ceil((6 * reach) / step)))
  const next = rule.map(({ node }) => node * reach)
  return {
    time,
    points: next,
    masses: rule.map(({ weight }, j) => {
      const at = next[j] ?? 0
      const density = points.reduce(
        (sum, point, i) => sum + (masses[i] ?? 0) * Math.exp(-0.5 * ((at - point) / step) ** 2),
        0,
      )
      return (density / (step * Math.sqrt(2 * Math.PI))) * weight * reach
    }),
  }
}

const rules = new Map<number, readonly { readonly node: number; readonly weight: number }[]>()

/** The nodes and weights of Gauss and Legendre's rule on [−1, 1], by Newton's method. Source: DLMF 3.5(v). */
function makeGaussRule(size: number): readonly { readonly node: number; readonly weight: number }[] {
  const ready = rules.get(size)
  if (ready !== undefined) return ready
  const rule = Array.from({ length: size }, (_, i) => {
    let node = Math.cos((Math.PI * (i + 0.75)) / (size + 0.5))
    let slope = 1
    for (let round = 0; round < 100; round++) {
      let [value, previous] = [1, 0]
      for (let k = 1; k <= size; k++) [value, previous] = [((2 * k - 1) * node * value - (k - 1) * previous) / k, value]
      slope = (size * (node * value - previous)) / (node * node - 1)
      const change = value / slope
      node -= change
      if (Math.abs(change) < 1e-15) break
    }
    return { node, weight: 2 / ((1 - node * node) * slope * slope) }
  })
  rules.set(size, rule)
  return rule
}
