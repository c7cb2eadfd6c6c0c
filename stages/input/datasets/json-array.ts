import { PipelineError } from '../../../base/errors.js'
import { shownPath } from '../../../base/shown-path.js'
import type { Doc } from '../tasks/doc.js'
import type { Dataset } from './dataset.js'
import { parseExactJson } from './exact-json.js'
import type { FloatFields } from './floats.js'
import { floatsInJson } from './json-floats.js'
import { asListed, firstColumns, openJsonl, withColumns } from './jsonl.js'
import { isOpen, objectTexts, openJsonObjects } from './json-objects.js'
import { textLines, textPieces, wholeText } from './text-lines.js'

/**
 * A `.json` file: a list of objects, one object a line, or objects over several lines. But for lines it is read whole each time that its
 * rows are asked for; large data belongs into JSONL or Parquet.
 */
export async function openJson(file: string): Promise<Dataset> {
  if (!(await isList(file))) return isWhole(await firstLine(file)) ? openJsonl(file) : openJsonObjects(file)
  const columns = await firstColumns(listRows(file))
  if (columns === undefined) throw new PipelineError('dataset', `${shownPath(file)} holds no rows`)
  return {
    files: [file],
    columns,
    findFloats: () => listFloats(file),
    rows: () => withColumns(listRows(file), columns),
  }
}

async function listFloats(file: string): Promise<FloatFields> {
  const { rows } = floatsInJson(`{"rows":${await wholeText(file)}}`)
  const row = rows !== undefined && rows !== true && 'items' in rows ? rows.items : undefined
  return row !== undefined && row !== true && 'fields' in row ? row.fields : {}
}

async function isList(file: string): Promise<boolean> {
  for await (const piece of textPieces(file)) {
    const start = piece.trimStart()
    if (start !== '') return start.startsWith('[')
  }
  return false
}

/** The first that is not blank. */
async function firstLine(file: string): Promise<string> {
  for await (const lines of textLines(file)) {
    const first = lines.find(line => line.trim() !== '')
    if (first !== undefined) return first
  }
  return ''
}

/** Whether a line is JSON by itself, or nothing that is left open at its end. */
const isWhole = (line: string): boolean => objectTexts(line).length <= 1 && !isOpen(line)

async function* listRows(file: string): AsyncGenerator<Doc> {
  const rows = parseExactJson(await wholeText(file), () => shownPath(file)) as readonly unknown[]
  for (const [index, row] of rows.entries()) yield asListed(row, () => `${shownPath(file)}, row ${index}`)
}
