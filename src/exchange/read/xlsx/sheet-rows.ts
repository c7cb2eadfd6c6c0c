import type { SpooledTexts } from './spooled-texts.js'
import { attribute, xmlScanner } from './xml-scan.js'

/** A value in a sheet; `null` for an empty cell. Dates are numbers, as the file has them. */
export type SheetCell = string | number | boolean | null

/** Yields the rows of a sheet's XML. Columns that a row leaves out are `null`. */
export async function* sheetRows(
  pieces: AsyncIterable<string>,
  texts: SpooledTexts,
): AsyncGenerator<readonly SheetCell[]> {
  let rows: SheetCell[][] = []
  let row: SheetCell[] = []
  let column = 0
  let kind: string | undefined
  let parts: string[] = []
  let isValue = false
  const scanner = xmlScanner({
    open(name, attributes) {
      if (name === 'row') row = []
      else if (name === 'c') {
        const cell = attribute(attributes, 'r')
        column = cell === undefined ? row.length : parseColumnNumber(cell)
        kind = attribute(attributes, 't')
        parts = []
      } else if (name === 'v' || name === 't') isValue = true
    },
    close(name) {
      if (name === 'row') rows.push(row)
      else if (name === 'v' || name === 't') isValue = false
      else if (name === 'c') {
        while (row.length < column) row.push(null)
        row[column] = parseCell(kind, parts.join(''), texts)
      }
    },
    text(text) {
      if (isValue) parts.push(text)
    },
  })
  for await (const piece of pieces) {
    scanner.push(piece)
    yield* rows
    rows = []
  }
  scanner.end()
}

/** The most columns that Excel allows. */
const mostColumns = 16_384

/** Returns the column's number, from 0, of a place such as `AB12`. */
function parseColumnNumber(cell: string): number {
  let column = 0
  for (let at = 0; at < cell.length; at++) {
    const letter = cell.charCodeAt(at) - 64
    if (letter < 1 || letter > 26) break
    column = column * 26 + letter
  }
  if (column < 1 || column > mostColumns) throw new Error(`a cell has the place ${cell}`)
  return column - 1
}

function parseCell(kind: string | undefined, text: string, texts: SpooledTexts): SheetCell {
  if (kind === 's') {
    const shared = texts.at(Number(text))
    if (shared === undefined) throw new Error(`a cell refers to text ${text} of ${texts.length}`)
    return unescapeText(shared)
  }
  if (kind === 'inlineStr' || kind === 'str') return unescapeText(text)
  if (text === '') return null
  if (kind === 'b') return text === '1'
  // The errors of formulas, such as `#N/A`, are no values.
  if (kind === 'e') return null
  const number = Number(text)
  if (Number.isNaN(number)) throw new Error(`a cell has the number ${text}`)
  return number
}

/** Excel writes characters that XML cannot hold as `_x000B_`. */
const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
