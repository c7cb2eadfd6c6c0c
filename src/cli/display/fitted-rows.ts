import { formatCount } from '../../../base/text/numbers.js'

/** Leaves out rows that a screen has no room for, below its head. The last line then says how many. */
export function fittedRows(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines
  const shown = Math.max(1, rows - 1)
  return [...lines.slice(0, shown), `… and ${formatCount(lines.length - shown)} more`]
}
