import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import type { Doc } from '../../tasks/doc.js'
import type { FloatFields } from '../columns/floats.js'
import type { Dataset } from '../dataset.js'
import { textLines, textPieces } from '../text-lines.js'
import { changeOutsideStrings, parseExactJson } from './exact-json.js'
import { floatsInJson, floatsOfItems } from './json-floats.js'
import { itemsOfField, itemsOfFile, startOfField, valuesOfFile } from './json-items.js'
import { asListed, asRow, firstColumns, openJsonl, withColumns } from './jsonl.js'

/**
 * Opens a `.json` file: a list of objects, one object a line, or objects over several lines. At most one row is in
 * memory.
 */
export async function openJson(file: string, limit?: number): Promise<Dataset> {
  if (!(await isList(file)))
    return isOneValue(await firstLine(file, limit)) ? openJsonl(file, limit) : openJsonObjects(file, limit)
  const columns = await firstColumns(listRows(file, limit))
  if (columns === undefined) throw new PipelineError('dataset', `${shownPath(file)} holds no rows`)
  return {
    files: [file],
    columns,
    findFloats: () => floatsOfItems(itemsOfFile(file, limit)),
    rows: () => withColumns(listRows(file, limit), columns),
  }
}

async function isList(file: string): Promise<boolean> {
  for await (const piece of textPieces(file)) {
    const start = piece.trimStart()
    if (start !== '') return start.startsWith('[')
  }
  return false
}

/** Returns the first line that is not blank. */
async function firstLine(file: string, limit: number | undefined): Promise<string> {
  for await (const lines of textLines(file, limit)) {
    const first = lines.find(line => line.trim() !== '')
    if (first !== undefined) return first
  }
  return ''
}

async function* listRows(file: string, limit: number | undefined): AsyncGenerator<Doc> {
  for await (const { text, line, index } of itemsOfFile(file, limit)) {
    const locate = (): string => `${shownPath(file)}:${line}, row ${index}`
    yield asListed(parseExactJson(text, locate), locate)
  }
}

/** Opens a file of JSON objects that follow each other over any number of lines. */
async function openJsonObjects(file: string, limit: number | undefined): Promise<Dataset> {
  const columns = await firstColumns(objectRows(file, limit))
  if (columns === undefined) throw new PipelineError('dataset', `${shownPath(file)} holds no rows`)
  return {
    files: [file],
    columns,
    rows: () => withColumns(objectRows(file, limit), columns),
    findFloats: () => floatsOfItems(valuesOfFile(file, limit)),
  }
}

async function* objectRows(file: string, limit: number | undefined): AsyncGenerator<Doc> {
  for await (const { text, line, index } of valuesOfFile(file, limit)) {
    const locate = (): string => `${shownPath(file)}:${line}, object ${index}`
    yield asRow(parseExactJson(text, locate), locate)
  }
}

const bracket = /[[\]{}]/g

/** Tells whether a line is a complete JSON value: every bracket is closed. */
function isOneValue(line: string): boolean {
  let depth = 0
  const ends: number[] = []
  // Strings are blanked out, so that offsets stay the same.
  const bare = changeOutsideStrings(
    line,
    between => between,
    string => ' '.repeat(string.length),
  )
  for (const { 0: token, index } of bare.matchAll(bracket)) {
    depth += /^[[{]/.test(token) ? 1 : /^[\]}]/.test(token) ? -1 : 0
    if (depth === 0 && token === '}') ends.push(index + 1)
  }
  return depth <= 0 && (ends.length === 0 || (ends.length === 1 && line.slice(ends[0]).trim() === ''))
}

/**
 * Opens the rows in one field of a JSON file: a list of objects, or an object of columns, which is held in memory
 * completely.
 *
 * Source: the option `field` of the JSON files of `datasets`.
 */
export async function openJsonField(file: string, field: string, limit?: number): Promise<Dataset> {
  const { text } = await startOfField(file, field, limit)
  const isList = text === '['
  const rows = isList ? () => listedRows(file, field, limit) : () => columnRows(file, field, limit)
  const columns = await firstColumns(rows())
  if (columns === undefined)
    throw new PipelineError('dataset', `${shownPath(file)} holds no rows in its field "${field}"`)
  return {
    files: [file],
    columns,
    rows: () => withColumns(rows(), columns),
    findFloats: async () =>
      isList
        ? floatsOfItems(itemsOfField(file, field, limit))
        : eachItem(floatsInJson((await startOfField(file, field, limit)).text)),
  }
}

async function* listedRows(file: string, field: string, limit: number | undefined): AsyncGenerator<Doc> {
  for await (const { text, line, index } of itemsOfField(file, field, limit)) {
    const locate = (): string => `${shownPath(file)}:${line}, ${field}[${index}]`
    yield asListed(parseExactJson(text, locate), locate)
  }
}

async function* columnRows(file: string, field: string, limit: number | undefined): AsyncGenerator<Doc> {
  const { text, line } = await startOfField(file, field, limit)
  const locate = (): string => `${shownPath(file)}:${line}, ${field}`
  yield* ofColumns(asRow(parseExactJson(text, locate), locate), locate)
}

/** @throws PipelineError if columns are not lists of equal length. */
function ofColumns(columns: Doc, locate: () => string): readonly Doc[] {
  const entries = Object.entries(columns)
  const [count = 0, other] = new Set(entries.map(([, values]) => (Array.isArray(values) ? values.length : -1)))
  if (count < 0 || other !== undefined)
    throw new PipelineError('dataset', `${locate()}: expected a list of rows, or lists of one length`)
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(entries.map(([name, values]) => [name, (values as readonly unknown[])[index]])),
  )
}

/** Returns the floats of the columns' items. */
const eachItem = (columns: FloatFields): FloatFields =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([name, column]) =>
      column !== true && 'items' in column ? [[name, column.items]] : [],
    ),
  )
