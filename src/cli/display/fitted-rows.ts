import { formatCount } from '../../../base/text/numbers.js'

/** Cuts a table to the height of the screen. The last line then counts the rows left out. */
export function fittedRows(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines
  const lineCount = Math.max(1, rows - 1)
  return [...lines.slice(0, lineCount), `… and ${formatCount(lines.length - lineCount)} more`]
}
