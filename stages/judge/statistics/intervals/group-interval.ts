/** Intervals of means over tasks. */
import { tQuantile } from '../distributions/student-t.js'
import type { Interval } from './interval.js'
import { wilson, z95 } from './proportions.js'

/** The mean of one task, with its interval. */
export interface PartOfMean {
  /** The task's share of the group's mean. The weights sum to 1. */
  readonly weight: number
  readonly value: number
  readonly stderr: number | null
  readonly interval: Interval
  /** The range that Wilson's interval stays within; undefined for an interval of another kind. */
  readonly wilsonRange: Interval | undefined
}

/**
 * The interval of a weighted mean of independent parts. If every part's interval is Wilson's, it is Wilson's for the
 * group's value on the effective number of docs. Wilson's intervals of parts cannot be combined: each is shifted to the
 * middle of the range, and the shifts would add up. Otherwise it is made of the parts' half widths, which add as
 * standard errors do, and it is Wilson's if it would leave the range.
 *
 * Sources: Korn and Graubard (1998) and Franco et al. (2019), see `bounded-interval.ts`; Satterthwaite, "An Approximate Distribution of Estimates of Variance Components",
 * Biometrics Bulletin 2 (1946), for its degrees of freedom; Zou and Donner, "Construction of confidence limits about
 * effect measures", Statistics in Medicine 27 (2008), for the combination.
 */
export function groupInterval(
  parts: readonly PartOfMean[],
  value: number,
): { readonly interval: Interval; readonly isWilson: boolean } {
  const [only] = parts
  if (parts.length === 1 && only !== undefined)
    return { interval: only.interval, isWilson: only.wilsonRange !== undefined }
  const range = parts.find(({ wilsonRange }) => wilsonRange !== undefined)?.wilsonRange
  const isOneRange = parts.every(
    ({ wilsonRange: own }) => own === undefined || (own[0] === range?.[0] && own[1] === range[1]),
  )
  const combined = combinedInterval(parts, value)
  if (range === undefined || !isOneRange) return { interval: combined, isWilson: false }
  const isWithin = combined[0] >= range[0] && combined[1] <= range[1]
  if (parts.some(({ wilsonRange }) => wilsonRange === undefined) && isWithin)
    return { interval: combined, isWilson: false }
  return { interval: pooledWilson(parts, value, range), isWilson: true }
}

function combinedInterval(parts: readonly PartOfMean[], value: number): Interval {
  let [below, above] = [0, 0]
  for (const part of parts) {
    const [low, high] = halfWidths(part)
    below += (part.weight * low) ** 2
    above += (part.weight * high) ** 2
  }
  return [value - Math.sqrt(below), value + Math.sqrt(above)]
}

/** The half widths of a part below and above its value. Those of a Wilson interval are Student's, without its shift. */
function halfWidths({ value, stderr, interval, wilsonRange }: PartOfMean): Interval {
  const own = [value - interval[0], interval[1] - value] as const
  if (wilsonRange === undefined || stderr === null || stderr === 0) return own
  const half = stderr * tQuantile(0.975, Math.max(1, computeDocCount({ value, interval }, wilsonRange) - 1))
  return [half, half]
}

function pooledWilson(parts: readonly PartOfMean[], value: number, range: Interval): Interval {
  const [low, width] = [range[0], range[1] - range[0]]
  const share = Math.min(1, Math.max(0, (value - low) / width))
  // The number of docs that a mean with these weights stands for, if all of them vary alike.
  let inverse = 0
  let [square, fourth] = [0, 0]
  for (const part of parts) {
    const docs = computeDocCount(part, range)
    inverse += part.weight ** 2 / docs
    // The spread of a single doc is not known. The group's stands for it.
    const variance = part.stderr === null ? (share * (1 - share)) / docs : (part.stderr / width) ** 2
    square += part.weight ** 2 * variance
    fourth += (part.weight ** 2 * variance) ** 2 / Math.max(1, docs - 1)
  }
  const df = fourth > 0 ? square ** 2 / fourth : Infinity
  const size = effectiveDocs({ share, square, df, parts: 1 / inverse })
  const [from, to] = wilson(share * size, size)
  return [low + width * from, low + width * to]
}

/** The effective size, which may exceed the number of docs: tasks that differ tell more than docs of one task would. */
function effectiveDocs(of: {
  readonly share: number
  readonly square: number
  readonly df: number
  readonly parts: number
}): number {
  const { share, square, df, parts } = of
  const variance = share * (1 - share)
  if (variance <= 0 || square <= 1e-24) return parts
  const t = Number.isFinite(df) ? tQuantile(0.975, Math.max(1, df)) : z95
  return (variance / square) * (z95 / t) ** 2
}

/** The number of docs that a Wilson interval stands for. Each of its ends solves |value − end| = z √(end (1 − end) / n). */
function computeDocCount({ value, interval }: Pick<PartOfMean, 'value' | 'interval'>, [low, high]: Interval): number {
  const [share, from, to] = [value, ...interval].map(number => (number - low) / (high - low)) as [
    number,
    number,
    number,
  ]
  // The end that is further from the value loses fewer digits.
  const end = share - from > to - share ? from : to
  return share === end ? 1 : (z95 ** 2 * end * (1 - end)) / (share - end) ** 2
}
