import { readFile } from 'node:fs/promises'
import { isNode, LineCounter, parseDocument } from 'yaml'
import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import type { Json } from '../../../base/values/canonical-json.js'

/** The position of a value in a file. */
export type Path = readonly (string | number)[]

/** The values of a file, with their lines. */
export interface Source {
  readonly values: Json
  readonly file: string
  /** Returns the file and the line of a value. */
  at(path: Path): string
}

/** Reads a file of YAML, JSON or JSON lines. @throws PipelineError with the line of a mistake */
export async function readSource(file: string): Promise<Source> {
  const text = await readFile(file, 'utf8')
  return file.endsWith('.jsonl') ? readLines(text, file) : readDocument(text, file)
}

function readDocument(text: string, file: string): Source {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const place = (offset: number): string => `${shownPath(file)}:${lines.linePos(offset).line}`
  const [error] = document.errors
  if (error !== undefined) throw new PipelineError('dataset', `${place(error.pos[0])}  ${error.message}`)
  return {
    values: document.toJS() as Json,
    file,
    at(path) {
      const node: unknown = document.getIn(path, true)
      return place(isNode(node) ? (node.range?.[0] ?? 0) : 0)
    },
  }
}

function readLines(text: string, file: string): Source {
  const lines = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [{ line, number: index + 1 }]))
  return {
    values: lines.map(({ line, number }) => readDocument(line, `${file}:${number}`).values),
    file,
    at: ([index = 0]) => `${shownPath(file)}:${lines[Number(index)]?.number ?? 1}`,
  }
}
