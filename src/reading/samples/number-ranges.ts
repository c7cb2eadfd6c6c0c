/** Parses and formats ranges of numbers in addresses and requests: `0.2..0.5`, `..3`, `100..`. The browser shares this file. */
import { measures, type Measure, type NumberRange } from '../../../cache/facts/histogram.js'

export type { Histogram, HistogramBar, Measure, NumberRange } from '../../../cache/facts/histogram.js'
export { isInRange, makeHistogram, measures } from '../../../cache/facts/histogram.js'

/** Ranges by measure, as texts. */
export type RangeTexts = Readonly<Partial<Record<Measure, string>>>

const number = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?`
const pattern = new RegExp(`^(${number})?\\.\\.(${number})?$`, 'i')

export const formatRange = ({ from, below }: NumberRange): string => `${from ?? ''}..${below ?? ''}`

/** Parses `FROM..BELOW`. @returns undefined if the text is no range */
export function parseRange(text: string): NumberRange | undefined {
  const [whole, from, below] = pattern.exec(text) ?? []
  if (whole === undefined || (from === undefined && below === undefined)) return undefined
  return { ...(from !== undefined && { from: Number(from) }), ...(below !== undefined && { below: Number(below) }) }
}

/** Parses the ranges of a filter. A text that is no range is ignored. */
export const parseRanges = (texts: RangeTexts): Readonly<Partial<Record<Measure, NumberRange>>> =>
  Object.fromEntries(
    measures.flatMap(measure => {
      const range = parseRange(texts[measure] ?? '')
      return range === undefined ? [] : [[measure, range] as const]
    }),
  )
