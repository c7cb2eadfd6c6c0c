import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { growingColumn, type GrowingColumn } from '../../../../base/collections/growing-column.js'
import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { isObject, type Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { parseExactJson } from '../../../../stages/input/datasets/json/exact-json.js'

/** The lines of one doc. A file has one line for each filter. */
export interface DocLines {
  readonly id: string | number
  readonly lines: readonly JsonObject[]
}

/** The byte positions of a file's lines by doc. Docs with a single line have no list, because a list would double the memory. */
interface LineIndex {
  readonly starts: GrowingColumn
  readonly ends: GrowingColumn
  readonly docs: Map<string | number, number | number[]>
}

/**
 * Reads a file of samples doc by doc. These tools write a block of lines for each filter and process, so the lines of a doc are far apart. Only their
 * byte positions are held in memory.
 *
 * @throws PipelineError with file and line if a line is damaged
 */
export async function* linesByDoc(file: string): AsyncGenerator<DocLines> {
  const index = await indexLines(file)
  const descriptor = openSync(file, 'r')
  try {
    for (const [id, places] of index.docs)
      yield { id, lines: [places].flat().map(position => readLine(file, descriptor, index, position)) }
  } finally {
    closeSync(descriptor)
  }
}

async function indexLines(file: string): Promise<LineIndex> {
  const index: LineIndex = { starts: growingColumn(), ends: growingColumn(), docs: new Map() }
  let rest: Buffer[] = []
  let start = 0
  const end = (bytes: Buffer): void => {
    const line = rest.length === 0 ? bytes : Buffer.concat([...rest, bytes])
    rest = []
    addLine(index, file, { line, start })
    start += line.length + 1
  }
  for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, from)) {
      end(piece.subarray(from, at))
      from = at + 1
    }
    if (from < piece.length) rest.push(piece.subarray(from))
  }
  if (rest.length > 0) end(Buffer.alloc(0))
  return index
}

/** Matches the doc's number, which both tools write first. Parsing the line as JSON twice would double the time of an import. */
const leadingId = /^\{\s*"doc_id"\s*:\s*(\d{1,15})\s*,/

function addLine(
  index: LineIndex,
  file: string,
  { line, start }: { readonly line: Buffer; readonly start: number },
): void {
  const position = index.starts.length
  index.starts.push(start)
  index.ends.push(start + line.length)
  if (line.length === 0) return
  const head = leadingId.exec(line.toString('latin1', 0, 60))?.[1]
  const id = head === undefined ? readDocId(parseSample(file, position, line), file, position) : Number(head)
  const places = index.docs.get(id)
  if (places === undefined) index.docs.set(id, position)
  else if (typeof places === 'number') index.docs.set(id, [places, position])
  else places.push(position)
}

function readLine(file: string, descriptor: number, { starts, ends }: LineIndex, index: number): JsonObject {
  const start = starts.at(index)
  const bytes = Buffer.alloc(ends.at(index) - start)
  readSync(descriptor, bytes, 0, bytes.length, start)
  return parseSample(file, index, bytes)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function parseSample(file: string, index: number, bytes: Buffer): JsonObject {
  const where = (): string => `${shownPath(file)}:${index + 1}`
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch (error) {
    throw new PipelineError('bundle', `${where()}  not UTF-8: the log is damaged`, { cause: error })
  }
  const value = parseExactJson(text, where) as Json
  if (isObject(value)) return value
  throw new PipelineError('bundle', `${where()}  expected an object with a sample`)
}

function readDocId(sample: JsonObject, file: string, index: number): string | number {
  const { doc_id: id } = sample
  if (typeof id === 'number' || typeof id === 'string') return id
  throw new PipelineError('bundle', `${shownPath(file)}:${index + 1}  the sample has no doc_id`)
}
