import type { Paint } from '../layout/paint.js'
import { padLeft, padRight } from '../layout/width.js'

const eighths = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
const rows = 5

/**
 * Draws a bar chart in text under a title. The axis starts at 0 and ends at the highest value.
 *
 * @param plot.ends labels below the first and the last column
 * @param plot.marks positions of marks on the axis, as shares of the width
 */
export function columnPlot(
  plot: {
    readonly title: string
    readonly values: readonly number[]
    readonly ends: readonly [string, string]
    readonly marks?: readonly number[]
  },
  format: (value: number) => string,
  paint: Paint,
): string[] {
  const highest = Math.max(0, ...plot.values)
  if (highest === 0) return []
  const top = format(highest)
  const margin = Math.max(top.length, 1)
  const wide = averageColumns(widenColumns(plot.values), paint.columns - margin - 2)
  const lines = Array.from({ length: rows }, (_, row) => {
    const label = row === 0 ? top : ''
    const cells = wide.map(value => cell((value / highest) * rows - (rows - 1 - row))).join('')
    return `${paint.dim(`${padLeft(label, margin)} ┤`)}${paint.green(cells.trimEnd())}`
  })
  const [first, last] = plot.ends
  const marked = new Set((plot.marks ?? []).map(share => Math.min(wide.length - 1, Math.floor(share * wide.length))))
  const axis = `${padLeft('0', margin)} └${wide.map((_, column) => (marked.has(column) ? '┴' : '─')).join('')}`
  const below = `${' '.repeat(margin + 2)}${padRight(first, Math.max(0, wide.length - last.length))}${last}`
  return [plot.title, ...lines, paint.dim(axis), paint.dim(below)]
}

/** The character for a cell that is filled to a share of its height. */
const cell = (height: number): string => eighths[Math.max(0, Math.min(8, Math.round(height * 8)))] ?? ' '

const fullWidth = 60

/** Averages neighbouring columns if the screen is narrower than the plot. */
function averageColumns(values: readonly number[], room: number): readonly number[] {
  const width = Math.max(1, room)
  if (values.length <= width) return values
  return Array.from({ length: width }, (_, column) => {
    const part = values.slice(
      Math.floor((column * values.length) / width),
      Math.floor(((column + 1) * values.length) / width),
    )
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}

/** Widens the columns of few values, so that plots have the same width. */
function widenColumns(values: readonly number[]): readonly number[] {
  const wide = Math.max(1, Math.floor(fullWidth / values.length))
  return values.flatMap(value => Array.from({ length: wide }, () => value))
}
