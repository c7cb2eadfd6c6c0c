import { histogramOf, logBounds, type Histogram } from './histogram.js'
import { momentsOf, standardDeviation } from './moments.js'
import { percentileOf } from './percentiles.js'

/** How one figure is spread over requests. */
export interface Distribution {
  /** Requests that have it. */
  readonly n: number
  readonly mean: number
  /** Absent for a single one. */
  readonly sd?: number
  readonly min: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
  /** So that the distributions of several runs can be added; percentiles cannot. */
  readonly histogram: Histogram
}

/** Milliseconds: from 0.1 ms to 10,000 s, five to each tenfold. The same for every run. */
const bounds = logBounds(0.1, 1e7, 5)

/**
 * @param values are in ascending order afterwards
 * @returns undefined where there are none
 */
export function distribution(values: Float64Array): Distribution | undefined {
  if (values.length === 0) return undefined
  const moments = momentsOf(values)
  const sorted = values.sort()
  const sd = standardDeviation(moments)
  const at = (percent: number): number => percentileOf(sorted, percent)
  return {
    n: moments.n,
    mean: moments.mean,
    ...(sd === undefined ? {} : { sd }),
    min: at(0),
    p50: at(50),
    p90: at(90),
    p99: at(99),
    max: at(100),
    histogram: histogramOf(sorted, bounds),
  }
}
