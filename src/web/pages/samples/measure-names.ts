/** Words for the numbers of samples and their ranges. */
import { axisLabel, shortTime } from '../../../../base/text/numbers.js'
import { parseRange, type HistogramBar, type Measure } from '../../../reading/samples/number-ranges.js'

/** The names of the numbers on the page. */
export const measureNames: Readonly<Record<Measure, string>> = {
  value: 'Score',
  tokens: 'Tokens of the answer',
  characters: 'Characters of the answer',
  duration: 'Duration',
  cost: 'Cost',
}

/** Formats a number of a sample: `0.25`, `120`, `1.4 s` or `$0.0012`. */
export function formatMeasure(measure: Measure, number: number): string {
  if (measure === 'duration') return shortTime(number)
  return measure === 'cost' ? `$${axisLabel(number)}` : axisLabel(number)
}

/** Formats the range of a filter: `0.2 to below 0.4`, `from 300`, `below 10 s`. */
export function formatMeasureRange(measure: Measure, text: string): string {
  const { from, below } = parseRange(text) ?? {}
  if (below === undefined) return from === undefined ? '' : `from ${formatMeasure(measure, from)}`
  if (from === undefined) return `below ${formatMeasure(measure, below)}`
  return `${formatMeasure(measure, from)} to below ${formatMeasure(measure, below)}`
}

/** Formats the range of a bar: `1` where all its samples have the number, `0.2 to below 0.4` or `from 300`. */
export const formatBar = (measure: Measure, { from, below, isExact }: HistogramBar): string =>
  isExact === true ? formatMeasure(measure, from) : formatMeasureRange(measure, `${from}..${below ?? ''}`)
