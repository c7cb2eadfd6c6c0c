/** How many values lie between bounds. Histograms of the same bounds can be added, over processes, shards and runs. */
export interface Histogram {
  /** Upper bounds, ascending; a value that equals a bound lies below it. */
  readonly le: readonly number[]
  /** One more than there are bounds: the last one counts what lies above all of them. */
  readonly counts: readonly number[]
  readonly sum: number
}

/** Upper bounds from `low` to `high`, so many to each tenfold, equally far apart on a logarithmic scale. */
export function logBounds(low: number, high: number, perDecade: number): readonly number[] {
  const steps = Math.round(Math.log10(high / low) * perDecade)
  return Array.from({ length: steps + 1 }, (_, step) => Number((low * 10 ** (step / perDecade)).toPrecision(3)))
}

export function histogramOf(values: Iterable<number>, le: readonly number[]): Histogram {
  const counts = new Array<number>(le.length + 1).fill(0)
  let sum = 0
  for (const value of values) {
    const place = bucketOf(value, le)
    counts[place] = (counts[place] ?? 0) + 1
    sum += value
  }
  return { le, counts, sum }
}

function bucketOf(value: number, le: readonly number[]): number {
  let [low, high] = [0, le.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (value <= (le[middle] ?? Infinity)) high = middle
    else low = middle + 1
  }
  return low
}

/** @throws RangeError where the bounds are not the same: counts between other bounds can't be added. */
export function mergeHistograms(a: Histogram, b: Histogram): Histogram {
  if (a.le.length !== b.le.length || a.le.some((bound, place) => bound !== b.le[place]))
    throw new RangeError('histograms of different bounds cannot be merged')
  return { le: a.le, counts: a.counts.map((count, place) => count + (b.counts[place] ?? 0)), sum: a.sum + b.sum }
}

/**
 * The value below which the share `q` of all lies, as near as the bounds allow: linear within its bucket, whose lower
 * end is the bound before (0 for the first); the last bound for what lies above all of them.
 *
 * Source: Prometheus, `histogram_quantile`.
 *
 * @param q 0 … 1
 * @returns undefined where nothing was counted
 */
export function histogramQuantile({ le, counts }: Histogram, q: number): number | undefined {
  const rank = q * counts.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [place, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const upper = le[place]
      if (upper === undefined) return le.at(-1)
      const lower = place === 0 ? 0 : (le[place - 1] ?? 0)
      return lower + ((upper - lower) * (rank - below)) / count
    }
    below += count
  }
  return undefined
}
