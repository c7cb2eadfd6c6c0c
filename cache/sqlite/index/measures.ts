/** The numbers of samples that are sorted by, filtered by and counted. */
import { makeHistograms, type Histogram, type Measure } from '../../facts/histogram.js'
import type { Columns } from './columns.js'

/** Returns a function that reads a number of the sample at a position. NaN if the sample has none. */
export function readMeasure({ columns }: Columns, measure: Measure): (position: number) => number {
  const { value, tokens, characters, duration, cost } = columns
  switch (measure) {
    case 'value':
      return at => value[at] ?? NaN
    case 'tokens':
      return at => ((tokens[at] ?? -1) === -1 ? NaN : (tokens[at] ?? 0))
    case 'characters':
      return at => ((characters[at] ?? -1) === -1 ? NaN : (characters[at] ?? 0))
    case 'duration':
      return at => duration[at] ?? NaN
    case 'cost':
      return at => cost[at] ?? NaN
  }
}

/** Counts the samples at some positions by each number that one of them has. */
export const countMeasures = (columns: Columns, positions: Int32Array): readonly Histogram[] =>
  makeHistograms(measure => Float64Array.from(positions, readMeasure(columns, measure)))
