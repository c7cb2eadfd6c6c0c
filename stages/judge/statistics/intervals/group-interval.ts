/** Intervals of means over tasks. */
import type { Interval } from './interval.js'
import { z95 } from './proportions.js'

/** The mean of one task, with its interval. */
export interface PartOfMean {
  /** The task's share of the group's mean. The weights sum to 1. */
  readonly weight: number
  readonly value: number
  readonly interval: Interval
  /** The range that Wilson's interval stays within; undefined for an interval of another kind. */
  readonly wilsonRange: Interval | undefined
}

/**
 * The interval of a weighted mean of independent parts: all means that a stratified score test does not reject. The
 * variance of the mean is that of the parts' most likely values under the hypothesis, so that a part in which all docs are
 * right or wrong has one, too. A part with Wilson's interval is a share of its effective number of docs, and any other
 * interval is that of a normal value with these half widths. The interval of a single part is its own.
 *
 * Sources: Miettinen and Nurminen, "Comparative analysis of two rates", Statistics in Medicine 4 (1985), for the score test with
 * constrained estimates; Yan and Su, "Stratified Wilson and Newcombe confidence intervals for multiple binomial proportions",
 * Statistics in Biopharmaceutical Research 2 (2010), for the question; Zou and Donner, "Construction of confidence limits about
 * effect measures", Statistics in Medicine 27 (2008), for half widths that add as standard errors do.
 */
export function groupInterval(
  parts: readonly PartOfMean[],
  value: number,
): { readonly interval: Interval; readonly isWilson: boolean } {
  const [only] = parts
  const isWilson = parts.every(
    ({ wilsonRange: range }) =>
      range !== undefined && range[0] === only?.wilsonRange?.[0] && range[1] === only.wilsonRange[1],
  )
  if (parts.length === 1 && only !== undefined) return { interval: only.interval, isWilson }
  const [low, high] = findRange(parts)
  const ends = ([-1, 1] as const).map(side => value + side * findReach(parts.map(part => makeStratum(part, side))))
  return { interval: [Math.max(low, ends[0] ?? value), Math.min(high, ends[1] ?? value)], isWilson }
}

/** The range of the mean, from the ranges of Wilson's intervals. A part of another kind has them, too, if its interval is within them. */
function findRange(parts: readonly PartOfMean[]): Interval {
  const ranges = parts.flatMap(({ wilsonRange }) => (wilsonRange === undefined ? [] : [wilsonRange]))
  const whole: Interval = [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))]
  const isWithin = parts.every(({ interval }) => interval[0] >= whole[0] && interval[1] <= whole[1])
  return ranges.length > 0 && isWithin ? whole : [-Infinity, Infinity]
}

/** A part as one end of the interval sees it. */
interface Stratum {
  /** The change of the group's mean if the share of the part changes by 1, or its value if it has no share. */
  readonly weight: number
  /** The share that can be lost on the way to this end, and the number of docs that it is of. */
  readonly share?: number
  readonly docs?: number
  /** The standard error of a part without a share. */
  readonly stderr: number
}

function makeStratum({ weight, value, interval, wilsonRange }: PartOfMean, side: -1 | 1): Stratum {
  if (wilsonRange === undefined) {
    const half = side < 0 ? value - interval[0] : interval[1] - value
    return { weight, stderr: Math.max(0, half) / z95 }
  }
  const [low, high] = wilsonRange
  const share = Math.max(0, (side < 0 ? value - low : high - value) / (high - low))
  // Rounding leaves a share of 1 slightly below it.
  return {
    weight: weight * (high - low),
    share: share > 1 - 1e-12 ? 1 : share,
    docs: countDocs({ value, interval }, wilsonRange),
    stderr: 0,
  }
}

/** Finds the distance of the furthest mean that the test does not reject. */
function findReach(strata: readonly Stratum[]): number {
  let [accepted, rejected] = [0, 1]
  // The pull has no bound: it is the number of docs where shares begin to move, and more for shares of 1.
  while (isAccepted(move(strata, rejected)) && rejected < 1e30) [accepted, rejected] = [rejected, 4 * rejected]
  for (let step = 0; step < 200 && accepted < rejected; step++) {
    const middle = (accepted + rejected) / 2
    if (middle === accepted || middle === rejected) break
    if (isAccepted(move(strata, middle))) accepted = middle
    else rejected = middle
  }
  return move(strata, accepted).distance
}

interface Moved {
  readonly distance: number
  readonly variance: number
}

const isAccepted = ({ distance, variance }: Moved): boolean => distance * distance <= z95 * z95 * variance

/**
 * Moves the mean away from its value by a pull, which is the Lagrange multiplier of the mean: each part takes the most likely
 * value under it. Returns the distance and the variance of the mean there.
 */
function move(strata: readonly Stratum[], pull: number): Moved {
  let distance = 0
  const variances = strata.map(({ weight, share, docs = 1, stderr }) => {
    const force = pull * weight
    if (share === undefined) {
      distance += weight * force * stderr * stderr
      return { variance: (weight * stderr) ** 2, docs: Infinity }
    }
    const moved = pullShare(share, docs, force)
    distance += weight * (share - moved)
    return { variance: (weight * weight * moved * (1 - moved)) / docs, docs }
  })
  const whole = variances.reduce((sum, { variance }) => sum + variance, 0)
  let corrected = 0
  // A share that is fitted to its own docs shows too little variance, and one that the mean fixes alone does not.
  for (const { variance, docs } of variances)
    corrected +=
      Number.isFinite(docs) && whole > 0
        ? (variance * docs) / Math.max(docs - 1 + (variance / whole) ** 2, 0.5)
        : variance
  return { distance, variance: corrected }
}

/**
 * The most likely share under a force: the smaller root of force·s² − (docs + force)·s + docs·share, where the slope of the
 * likelihood equals the force. A share of 1 does not move before the force reaches the number of docs.
 */
function pullShare(share: number, docs: number, force: number): number {
  if (share >= 1) return force <= docs ? 1 : docs / force
  const sum = docs + force
  return (2 * docs * share) / (sum + Math.sqrt(Math.max(0, sum * sum - 4 * force * docs * share)))
}

/** The number of docs that a Wilson interval stands for. Each of its ends solves |value − end| = z √(end (1 − end) / n). */
function countDocs({ value, interval }: Pick<PartOfMean, 'value' | 'interval'>, [low, high]: Interval): number {
  const [share, from, to] = [value, ...interval].map(number => (number - low) / (high - low)) as [
    number,
    number,
    number,
  ]
  // The end that is further from the value loses fewer digits.
  const end = share - from > to - share ? from : to
  return share === end ? 1 : (z95 ** 2 * end * (1 - end)) / (share - end) ** 2
}
