import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { isObject } from '../../../../base/values/canonical-json.js'
import type { Doc } from '../../tasks/doc.js'
import type { Column, Dataset } from '../dataset.js'
import { parseExactJson } from './exact-json.js'
import { bothFloats, type FloatFields } from '../columns/floats.js'
import { floatsInJson } from './json-floats.js'
import { textLines } from '../text-lines.js'

/** Opens a file with one JSON object a line. Empty lines are skipped. */
export async function openJsonl(file: string, limit?: number): Promise<Dataset> {
  const columns = await firstColumns(readRows(file, limit))
  if (columns === undefined) throw new PipelineError('dataset', `${shownPath(file)} holds no rows`)
  return {
    files: [file],
    columns,
    findFloats: () => firstFloats(file, limit),
    rows: () => withColumns(readRows(file, limit), columns),
  }
}

/** Adds missing columns to rows as `null`, as `datasets` does. */
export async function* withColumns(rows: AsyncIterable<Doc>, columns: readonly Column[]): AsyncGenerator<Doc> {
  const nothing = Object.fromEntries(columns.map(({ name }) => [name, null]))
  for await (const row of rows)
    yield columns.every(({ name }) => Object.hasOwn(row, name)) ? row : { ...nothing, ...row }
}

/**
 * Finds the floating-point fields by the first rows. If one of these rows has a floating-point number in a field, the field is floating-point in all
 * rows.
 */
async function firstFloats(file: string, limit: number | undefined): Promise<FloatFields> {
  let floats: FloatFields = {}
  let length = 0
  for await (const lines of textLines(file, limit)) {
    for (const line of lines) {
      length += line.length
      if (length > mostLooked) return floats
      if (line.trim() !== '') floats = bothFloats(floats, floatsInJson(line))
    }
  }
  return floats
}

/** The maximum number of characters that are searched, as in `datasets`. */
const mostLooked = 10 * 2 ** 20

async function* readRows(file: string, limit: number | undefined): AsyncGenerator<Doc> {
  let number = 0
  for await (const lines of textLines(file, limit)) {
    for (const line of lines) {
      number++
      if (line !== '' && line.trim() !== '') yield parseRow(line, file, number)
    }
  }
}

function parseRow(line: string, file: string, number: number): Doc {
  const locate = (): string => `${shownPath(file)}:${number}`
  return asRow(parseExactJson(line, locate), locate)
}

/** Converts an item of a list to a doc. A value that is not an object becomes the column `text`, as in `datasets`. */
export const asListed = (value: unknown, locate: () => string): Doc =>
  typeof value === 'object' ? asRow(value, locate) : { text: value }

/**
 * Converts a JSON value to a doc.
 * @throws PipelineError if it is not an object.
 */
export function asRow(value: unknown, locate: () => string): Doc {
  if (isObject(value)) return value
  throw new PipelineError('dataset', `${locate()}  expected an object with the columns of a row`)
}

/** Returns the columns of JSON rows, which are the keys of the first thousand rows. */
export async function firstColumns(rows: AsyncIterable<Doc>): Promise<readonly Column[] | undefined> {
  const columns = new Map<string, Column>()
  let rowCount = 0
  for await (const row of rows) {
    for (const name of Object.keys(row)) if (!columns.has(name)) columns.set(name, { name, isMedia: false })
    if (++rowCount === 1_000) break
  }
  return rowCount === 0 ? undefined : [...columns.values()]
}
