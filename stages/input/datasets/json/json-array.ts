import { PipelineError } from '../../../../base/errors.js'
import { shownPath } from '../../../../base/shown-path.js'
import type { Doc } from '../../tasks/doc.js'
import type { Dataset } from '../dataset.js'
import { parseExactJson } from './exact-json.js'
import { floatsOfItems } from './json-item-floats.js'
import { itemsOfFile } from './json-items.js'
import { asListed, firstColumns, openJsonl, withColumns } from './jsonl.js'
import { isOneValue, openJsonObjects } from './json-objects.js'
import { textLines, textPieces } from '../text/text-lines.js'

/** A `.json` file: a list of objects, one object a line, or objects over several lines. Of none more than a row is in memory. */
export async function openJson(file: string): Promise<Dataset> {
  if (!(await isList(file))) return isOneValue(await firstLine(file)) ? openJsonl(file) : openJsonObjects(file)
  const columns = await firstColumns(listRows(file))
  if (columns === undefined) throw new PipelineError('dataset', `${shownPath(file)} holds no rows`)
  return {
    files: [file],
    columns,
    findFloats: () => floatsOfItems(itemsOfFile(file)),
    rows: () => withColumns(listRows(file), columns),
  }
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

async function* listRows(file: string): AsyncGenerator<Doc> {
  for await (const { text, line, index } of itemsOfFile(file)) {
    const place = (): string => `${shownPath(file)}:${line}, row ${index}`
    yield asListed(parseExactJson(text, place), place)
  }
}
