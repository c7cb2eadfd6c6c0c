/** Counts samples by a number of theirs. The browser shares this file, so it imports nothing. */

/** The numbers of a sample that are counted: the first metric's value, the answer's tokens and characters, its duration in milliseconds, and its cost in dollars. */
export const measures = ['value', 'tokens', 'characters', 'duration', 'cost'] as const
export type Measure = (typeof measures)[number]

/** A range of numbers. An end that is absent is open. */
export interface NumberRange {
  /** The least number that is in the range. */
  readonly from?: number
  /** The least number that is above the range. */
  readonly below?: number
}

/** The samples whose number is in a range. */
export interface HistogramBar extends NumberRange {
  readonly from: number
  readonly samples: number
  /** True if all samples of the bar have the number `from`. */
  readonly isExact?: boolean
}

/** Samples counted by one of their numbers. */
export interface Histogram {
  readonly measure: Measure
  /** The bars in ascending order, each of which ends where the next one begins. The last one has no end. */
  readonly bars: readonly HistogramBar[]
  /** The number of samples without such a number. */
  readonly missing: number
}

/** With at most this many different numbers, each has a bar of its own. */
const mostExact = 12
const wantedBars = 16

export const isInRange = (number: number | null | undefined, { from, below }: NumberRange): boolean =>
  number !== null &&
  number !== undefined &&
  !Number.isNaN(number) &&
  (from === undefined || number >= from) &&
  (below === undefined || number < below)

/** Counts samples by each number that one of them has. @param readNumbers returns NaN for a sample without the number */
export const makeHistograms = (readNumbers: (measure: Measure) => Float64Array): readonly Histogram[] =>
  measures.map(measure => makeHistogram(measure, readNumbers(measure))).filter(({ bars }) => bars.length > 0)

/**
 * Counts numbers in bars of equal width. A few numbers far above the others are in the last bar, so that the others can be told apart.
 *
 * @param numbers NaN where a sample has none
 */
export function makeHistogram(measure: Measure, numbers: Float64Array): Histogram {
  const sorted = numbers.filter(number => Number.isFinite(number)).sort()
  const distinct = listDistinct(sorted)
  const starts = distinct ?? listStarts(sorted)
  const bars = starts.map((from, at): HistogramBar => {
    const below = starts[at + 1]
    const end = below === undefined ? sorted.length : countBelow(sorted, below)
    const samples = end - countBelow(sorted, from)
    return { from, ...(below !== undefined && { below }), samples, ...(distinct !== undefined && { isExact: true }) }
  })
  return { measure, bars, missing: numbers.length - sorted.length }
}

/** @returns undefined if there are too many different numbers for a bar each */
function listDistinct(sorted: Float64Array): readonly number[] | undefined {
  const distinct: number[] = []
  for (let at = 0; at < sorted.length; at = countBelow(sorted, nextAbove(sorted[at] ?? 0))) {
    if (distinct.length === mostExact) return undefined
    distinct.push(sorted[at] ?? 0)
  }
  return distinct
}

/** Returns the next number that is distinguishable from this one. */
const nextAbove = (number: number): number => number + Math.max(Math.abs(number) * 1e-12, Number.MIN_VALUE)

function listStarts(sorted: Float64Array): readonly number[] {
  const least = sorted[0] ?? 0
  const most = sorted[sorted.length - 1] ?? least
  const usual = sorted[Math.floor((sorted.length - 1) * 0.99)] ?? most
  const isFar = most - least > 2 * (usual - least) && usual > least
  const end = isFar ? usual : most
  const step = roundStep((end - least) / wantedBars)
  const starts: number[] = []
  for (let number = Math.floor(least / step); ; number += 1) {
    const from = Number((number * step).toPrecision(12))
    // Rounding must not move the first bar above the least number.
    if (starts.length === 0 && from > least) starts.push(Number(((number - 1) * step).toPrecision(12)))
    if (starts.length > 0 && from > end) return starts
    if (from !== starts.at(-1)) starts.push(from)
  }
}

/** The next number above that is 1, 2 or 5 times a power of ten. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step))
  const factor = [1, 2, 5].find(one => one * power >= step) ?? 10
  return factor * power
}

function countBelow(sorted: Float64Array, number: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < number) low = middle + 1
    else high = middle
  }
  return low
}
