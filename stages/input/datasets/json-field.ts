import { PipelineError } from '../../../base/errors.js'
import { shownPath } from '../../../base/shown-path.js'
import { didYouMean } from '../../../base/suggest.js'
import type { Doc } from '../tasks/doc.js'
import type { Dataset } from './dataset.js'
import { parseExactJson } from './exact-json.js'
import { isLeaf, structOf, type FloatFields, type Floats } from './floats.js'
import { floatsInJson } from './json-floats.js'
import { asListed, asRow, firstColumns, withColumns } from './jsonl.js'
import { wholeText } from './text-lines.js'

/**
 * The rows in one field of a JSON file: a list of objects, or an object of columns. The file is read whole each time that they are
 * asked for.
 *
 * Source: the option `field` of the JSON files of `datasets`.
 */
export async function openJsonField(file: string, field: string): Promise<Dataset> {
  const rows = async function* (): AsyncGenerator<Doc> {
    yield* rowsIn(await wholeText(file), field, file)
  }
  const columns = await firstColumns(rows())
  if (columns === undefined)
    throw new PipelineError('dataset', `${shownPath(file)} holds no rows in its field "${field}"`)
  return {
    files: [file],
    columns,
    rows: () => withColumns(rows(), columns),
    findFloats: async () => rowFloats(floatsInJson(await wholeText(file))[field]),
  }
}

function rowsIn(text: string, field: string, file: string): readonly Doc[] {
  const all = asRow(
    parseExactJson(text, () => shownPath(file)),
    () => shownPath(file),
  )
  const value = all[field]
  if (value === undefined)
    throw new PipelineError(
      'dataset',
      `${shownPath(file)} has no field "${field}" (it has ${Object.keys(all).join(', ')}).${didYouMean(field, Object.keys(all))}`,
    )
  const place = (index: number) => (): string => `${shownPath(file)}, ${field}[${index}]`
  if (Array.isArray(value)) return value.map((row, index) => asListed(row, place(index)))
  return ofColumns(
    asRow(value, () => `${shownPath(file)}, field "${field}"`),
    place,
  )
}

/** @throws PipelineError where columns are no lists of one length. */
function ofColumns(columns: Doc, place: (index: number) => () => string): readonly Doc[] {
  const entries = Object.entries(columns)
  const [count = 0, other] = new Set(entries.map(([, values]) => (Array.isArray(values) ? values.length : -1)))
  if (count < 0 || other !== undefined)
    throw new PipelineError(
      'dataset',
      `${place(0)().replace(/\[0\]$/, '')}: expected a list of rows, or lists of one length`,
    )
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(entries.map(([name, values]) => [name, (values as readonly unknown[])[index]])),
  )
}

/** Of a list of rows those of a row; of columns those of their items. */
function rowFloats(floats: Floats | undefined): FloatFields {
  if (floats === undefined || isLeaf(floats)) return {}
  const row = 'items' in floats ? floats.items : structOf(eachItem(floats.fields))
  return row !== undefined && row !== true && 'fields' in row ? row.fields : {}
}

const eachItem = (columns: FloatFields): FloatFields =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([name, column]) =>
      column !== true && 'items' in column ? [[name, column.items]] : [],
    ),
  )
