import { PipelineError } from '../../../base/errors.js'
import { shownPath } from '../../../base/shown-path.js'
import type { Doc } from '../tasks/doc.js'
import type { Dataset } from './dataset.js'
import { parseExactJson } from './exact-json.js'
import { bothFloats, type FloatFields } from './floats.js'
import { floatsInJson } from './json-floats.js'
import { asRow, firstColumns, withColumns } from './jsonl.js'
import { wholeText } from './text-lines.js'

/** A file of JSON objects one after another, each over as many lines as it likes. It is read whole each time that its rows are asked for. */
export async function openJsonObjects(file: string): Promise<Dataset> {
  const columns = await firstColumns(objectRows(file))
  if (columns === undefined) throw new PipelineError('dataset', `${shownPath(file)} holds no rows`)
  return {
    files: [file],
    columns,
    rows: () => withColumns(objectRows(file), columns),
    findFloats: async () =>
      objectTexts(await wholeText(file)).reduce<FloatFields>((sum, text) => bothFloats(sum, floatsInJson(text)), {}),
  }
}

async function* objectRows(file: string): AsyncGenerator<Doc> {
  for (const [index, text] of objectTexts(await wholeText(file)).entries()) {
    const place = (): string => `${shownPath(file)}, object ${index}`
    yield asRow(parseExactJson(text, place), place)
  }
}

/** The objects of a text, and what is behind the last whole one. */
export function objectTexts(text: string): readonly string[] {
  const found: string[] = []
  let start = 0
  for (const end of objectEnds(text)) {
    found.push(text.slice(start, end))
    start = end
  }
  const rest = text.slice(start)
  return rest.trim() === '' ? found : [...found, rest]
}

/** Whether a text ends within an object or a list. */
export const isOpen = (text: string): boolean => depthAt(text) > 0

const stringOrBracket = /"(?:[^"\\]|\\.)*"|[[\]{}]/g

function* objectEnds(text: string): Generator<number> {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(stringOrBracket)) {
    depth += stepOf(token)
    if (depth === 0 && token === '}') yield index + 1
  }
}

function depthAt(text: string): number {
  let depth = 0
  for (const [token] of text.matchAll(stringOrBracket)) depth += stepOf(token)
  return depth
}

const stepOf = (token: string): number => (/^[[{]/.test(token) ? 1 : /^[\]}]/.test(token) ? -1 : 0)
