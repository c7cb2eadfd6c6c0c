import { PipelineError } from '../../../../base/errors.js'
import { shownPath } from '../../../../base/shown-path.js'
import type { Doc } from '../../tasks/doc.js'
import type { Dataset } from '../dataset.js'
import { parseExactJson } from './exact-json.js'
import { floatsOfItems } from './json-item-floats.js'
import { valuesOfFile } from './json-items.js'
import { changeOutsideStrings } from './json-texts.js'
import { asRow, firstColumns, withColumns } from './jsonl.js'

/** A file of JSON objects one after another, each over as many lines as it likes. */
export async function openJsonObjects(file: string): Promise<Dataset> {
  const columns = await firstColumns(objectRows(file))
  if (columns === undefined) throw new PipelineError('dataset', `${shownPath(file)} holds no rows`)
  return {
    files: [file],
    columns,
    rows: () => withColumns(objectRows(file), columns),
    findFloats: () => floatsOfItems(valuesOfFile(file)),
  }
}

async function* objectRows(file: string): AsyncGenerator<Doc> {
  for await (const { text, line, index } of valuesOfFile(file)) {
    const place = (): string => `${shownPath(file)}:${line}, object ${index}`
    yield asRow(parseExactJson(text, place), place)
  }
}

const bracket = /[[\]{}]/g

/** Whether a line is one JSON object with nothing behind it, or leaves at least nothing open at its end. */
export function isOneValue(line: string): boolean {
  let depth = 0
  const ends: number[] = []
  // Strings are blanked out, so that places stay what they are.
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
