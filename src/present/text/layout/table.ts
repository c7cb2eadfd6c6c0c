import { oneLine } from '../../../../base/text/visible-text.js'
import { largest } from '../../../../base/collections/counts.js'
import { indentedPaint, textAndMarks, type Paint } from './paint.js'
import { clip, clipMiddle, displayWidth, padLeft, padRight } from './width.js'

/** A column of a table on the terminal. */
export interface Column {
  readonly title: string
  /** The alignment. @default 'left' */
  readonly align?: 'left' | 'right'
  /** The minimum width on a narrow screen; longer texts are wrapped. */
  readonly least?: number
  /** True to cut longer texts in their middle instead of wrapping them. */
  readonly isCut?: boolean
  /** Columns with the highest number are left out first on a narrow screen. A column without a number stays. */
  readonly drop?: number
}

/**
 * Lays out a table: a dim head, columns three spaces apart, no trailing spaces. On a narrow screen, columns first become narrower. Then some are left
 * out, and the last line says so.
 */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  const cells = rows.map(row => row.map(oneLine))
  const natural = columns.map(({ title }, index) =>
    largest(
      displayWidth(title),
      cells.map(row => displayWidth(row[index] ?? '')),
    ),
  )
  const { kept, widths, gap } = columnLayout(columns, natural, paint.columns)
  const lines = (row: readonly string[]): string[] => {
    const wrapped = kept.map((index, position) => {
      const [text, width] = [row[index] ?? '', widths[position] ?? 0]
      return columns[index]?.isCut === true ? [clipMiddle(text, width)] : cellLines(text, width)
    })
    const height = Math.max(1, ...wrapped.map(({ length }) => length))
    return Array.from({ length: height }, (_, at) =>
      kept
        .map((index, position) => {
          const pad = columns[index]?.align === 'right' ? padLeft : padRight
          return pad(wrapped[position]?.[at] ?? '', widths[position] ?? 0)
        })
        .join(' '.repeat(gap))
        .trimEnd(),
    )
  }
  const leftOut = columns.filter((_, index) => !kept.includes(index)).flatMap(({ title }) => title || [])
  return [
    ...lines(columns.map(({ title }) => title)).map(paint.dim),
    ...cells.flatMap(lines),
    ...(leftOut.length === 0 ? [] : [paint.dim(`(columns for a wider screen: ${leftOut.join(', ')})`)]),
  ]
}

interface Layout {
  /** The visible columns. */
  readonly kept: readonly number[]
  readonly widths: readonly number[]
  readonly gap: number
}

/** Finds the columns that fit, and their widths. */
export function columnLayout(columns: readonly Column[], natural: readonly number[], screen: number): Layout {
  let indices = columns.map((_, index) => index)
  for (;;) {
    const most = indices.map(index => natural[index] ?? 0)
    if (sum(most) + 3 * (indices.length - 1) <= screen) return { kept: indices, widths: most, gap: 3 }
    const room = screen - 2 * (indices.length - 1)
    const widths = shrinkWidths(
      most,
      indices.map(index => columns[index]?.least ?? Infinity),
      room,
    )
    const dropped = widths === undefined ? leastImportant(columns, indices) : undefined
    if (dropped === undefined) return { kept: indices, widths: widths ?? most, gap: 2 }
    indices = indices.filter(index => index !== dropped)
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Shrinks the widest columns first. Returns undefined if the table still does not fit. */
function shrinkWidths(most: readonly number[], least: readonly number[], room: number): readonly number[] | undefined {
  const widths = [...most]
  while (sum(widths) > room) {
    const flexible = widths.flatMap((width, index) => (width > (least[index] ?? Infinity) ? [index] : []))
    const widest = flexible.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0]
    if (widest === undefined) return undefined
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

const leastImportant = (columns: readonly Column[], indices: readonly number[]): number | undefined =>
  indices
    .filter(index => columns[index]?.drop !== undefined)
    .sort((a, b) => (columns[b]?.drop ?? 0) - (columns[a]?.drop ?? 0))[0]

/** Breaks a text between words, else after characters that join parts of a name, else anywhere. */
function cellLines(text: string, width: number): string[] {
  if (displayWidth(text) <= width) return [text]
  if (textAndMarks(text).length > 1) return [clip(text, width)]
  const branch = /^[ ├└]*/u.exec(text)?.[0] ?? ''
  const lines: string[] = []
  let current = branch
  const next = (): void => {
    lines.push(current.trimEnd())
    current = ' '.repeat(branch.length)
  }
  for (const word of text.slice(branch.length).split(/(?<= )/u)) {
    // A dot that does not fit is dropped, because the line break separates as well.
    if (word === '· ' && displayWidth(current + '·') > width) {
      next()
      continue
    }
    const parts = displayWidth(word.trimEnd()) + branch.length > width ? word.split(/(?<=[_\-/,.:=@])/u) : [word]
    for (const part of parts) {
      if (current.trim() !== branch.trim() && displayWidth((current + part).trimEnd()) > width) next()
      for (const piece of pieces(part, width - branch.length)) {
        if (current.trim() !== '' && displayWidth((current + piece).trimEnd()) > width) next()
        current += piece
      }
    }
  }
  next()
  return lines
}

/** Splits a part that is longer than a line. */
function pieces(part: string, width: number): readonly string[] {
  if (displayWidth(part.trimEnd()) <= width) return [part]
  const parts: string[] = []
  for (const character of part) {
    const last = parts.at(-1)
    if (last === undefined || displayWidth(last + character) > Math.max(1, width)) parts.push(character)
    else parts.splice(-1, 1, last + character)
  }
  return parts
}

/** Lays out pairs in two aligned columns. */
export function pairs(entries: readonly (readonly [string, string])[], paint: Paint): string[] {
  const width = largest(
    0,
    entries.map(([name]) => displayWidth(name)),
  )
  return entries.map(([name, value]) => `${paint.dim(padRight(name, width))}   ${value}`.trimEnd())
}

/** Creates lines for the remaining width and indents them by two columns. */
export const indentLines = (lines: (paint: Paint) => readonly string[], paint: Paint): string[] =>
  lines(indentedPaint(paint, 2)).map(line => `  ${line}`.trimEnd())
