import { PipelineError } from '../../../../base/errors.js'
import { shownPath } from '../../../../base/shown-path.js'
import type { Doc } from '../../tasks/doc.js'
import type { Dataset } from '../dataset.js'
import { parseExactJson } from './exact-json.js'
import type { FloatFields } from '../columns/floats.js'
import { floatsInJson } from './json-floats.js'
import { floatsOfItems } from './json-item-floats.js'
import { itemsOfField, startOfField } from './json-items.js'
import { asListed, asRow, firstColumns, withColumns } from './jsonl.js'

/**
 * The rows in one field of a JSON file: a list of objects, or an object of columns, which alone is in memory as a whole.
 *
 * Source: the option `field` of the JSON files of `datasets`.
 */
export async function openJsonField(file: string, field: string): Promise<Dataset> {
  const { text } = await startOfField(file, field)
  const isList = text === '['
  const rows = isList ? () => listedRows(file, field) : () => columnRows(file, field)
  const columns = await firstColumns(rows())
  if (columns === undefined)
    throw new PipelineError('dataset', `${shownPath(file)} holds no rows in its field "${field}"`)
  return {
    files: [file],
    columns,
    rows: () => withColumns(rows(), columns),
    findFloats: async () =>
      isList
        ? floatsOfItems(itemsOfField(file, field))
        : eachItem(floatsInJson((await startOfField(file, field)).text)),
  }
}

async function* listedRows(file: string, field: string): AsyncGenerator<Doc> {
  for await (const { text, line, index } of itemsOfField(file, field)) {
    const place = (): string => `${shownPath(file)}:${line}, ${field}[${index}]`
    yield asListed(parseExactJson(text, place), place)
  }
}

async function* columnRows(file: string, field: string): AsyncGenerator<Doc> {
  const { text, line } = await startOfField(file, field)
  const place = (): string => `${shownPath(file)}:${line}, ${field}`
  yield* ofColumns(asRow(parseExactJson(text, place), place), place)
}

/** @throws PipelineError where columns are no lists of one length. */
function ofColumns(columns: Doc, place: () => string): readonly Doc[] {
  const entries = Object.entries(columns)
  const [count = 0, other] = new Set(entries.map(([, values]) => (Array.isArray(values) ? values.length : -1)))
  if (count < 0 || other !== undefined)
    throw new PipelineError('dataset', `${place()}: expected a list of rows, or lists of one length`)
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(entries.map(([name, values]) => [name, (values as readonly unknown[])[index]])),
  )
}

/** Of columns those of their items. */
const eachItem = (columns: FloatFields): FloatFields =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([name, column]) =>
      column !== true && 'items' in column ? [[name, column.items]] : [],
    ),
  )
