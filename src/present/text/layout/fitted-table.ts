import { oneLine } from '../../../../base/text/visible-text.js'
import { largest } from '../../../../base/collections/counts.js'
import { textAndMarks, type Paint } from './paint.js'
import { columnLayout, type Column } from './table.js'
import { clip, clipMiddle, displayWidth, padLeft, padRight } from './width.js'

/**
 * Lays out a table for a live view: each row takes one line on a screen of any width. Columns become narrower, down to `least`, and cut their texts.
 * Then columns are left out. No note says so, because the view changes all the time.
 */
export function fittedTable(columns: readonly Column[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  const cells = rows.map(row => row.map(oneLine))
  const natural = columns.map(({ title }, index) =>
    largest(
      displayWidth(title),
      cells.map(row => displayWidth(row[index] ?? '')),
    ),
  )
  const { kept, widths, gap } = columnLayout(columns, natural, paint.columns)
  const line = (row: readonly string[]): string => {
    const texts = kept.map((index, position) => {
      const width = widths[position] ?? 0
      const pad = columns[index]?.align === 'right' ? padLeft : padRight
      return pad(cut(row[index] ?? '', width), width)
    })
    return clip(texts.join(' '.repeat(gap)).trimEnd(), paint.columns)
  }
  return [paint.dim(line(columns.map(({ title }) => title))), ...cells.map(line)]
}

/** Names of one family differ at their ends. A coloured text keeps its colours. */
const cut = (text: string, width: number): string =>
  textAndMarks(text).length > 1 ? clip(text, width) : clipMiddle(text, width)
