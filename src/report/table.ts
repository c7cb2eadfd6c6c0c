import type { Paint } from './paint.js'
import { displayWidth, padLeft, padRight } from './width.js'

export interface Column {
  readonly title: string
  /** Left unless said otherwise; numbers stand on the right. */
  readonly align?: 'left' | 'right'
}

/** Lines of a table without rules: a dim head, columns three spaces apart, nothing after the last word of a line. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  const head = columns.map(column => column.title)
  const widths = columns.map((_, index) => Math.max(...[head, ...rows].map(row => displayWidth(row[index] ?? ''))))
  const line = (cells: readonly string[]): string =>
    columns
      .map((column, index) => (column.align === 'right' ? padLeft : padRight)(cells[index] ?? '', widths[index] ?? 0))
      .join('   ')
      .trimEnd()
  return [paint.dim(line(head)), ...rows.map(line)]
}

/** Pairs under each other, the second column aligned. */
export function pairs(entries: readonly (readonly [string, string])[], paint: Paint): string[] {
  const width = Math.max(0, ...entries.map(([name]) => displayWidth(name)))
  return entries.map(([name, value]) => `${paint.dim(padRight(name, width))}   ${value}`.trimEnd())
}

export const indented = (lines: readonly string[], by = 2): string[] =>
  lines.map(line => (line === '' ? '' : ' '.repeat(by) + line))
