import {
  parseDocument,
  type Document,
  type DocumentOptions,
  type LineCounter,
  type ParseOptions,
  type SchemaOptions,
} from 'yaml'

/** A document, and the text that it was read from, which may be further to the right than what stands in the file. */
export interface ReadDocument {
  readonly document: Document
  readonly text: string
  /** Where a place of `text` is in the file. */
  readonly placeOf: (offset: number) => number
}

export type ReadOptions = ParseOptions & DocumentOptions & SchemaOptions

/**
 * Reads YAML as PyYAML does, for which the columns of lines within `{…}`, `[…]` and quotes mean nothing: the library wants them further
 * to the right than the key. Lines that it stumbles over are moved there. Where that does not help, it is the file as it stands that is told of.
 *
 * @param lineCounter is told where the lines of `text` begin
 */
export function readLeniently(text: string, options: ReadOptions, lineCounter: LineCounter): ReadDocument {
  const first = {
    document: parseDocument(text, { ...options, lineCounter }),
    text,
    placeOf: (offset: number) => offset,
  }
  const moved: number[] = []
  const margin = ' '.repeat(1 + text.split('\n').reduce((widest, line) => Math.max(widest, line.search(/\S|$/)), 0))
  let last: ReadDocument = first
  for (;;) {
    const stumbled = last.document.errors.find(({ code, message }) => isColumn(code, message))
    if (stumbled === undefined) return last
    const line = lineAfter(last.text, stumbled.pos[0])
    if (line === undefined || moved.includes(line - margin.length) || moved.length >= mostMoved) return first
    moved.push(line)
    const next = last.text.slice(0, line) + margin + last.text.slice(line)
    last = { document: parseDocument(next, options), text: next, placeOf: placesBefore(moved, margin.length) }
  }
}

/** More than that is a file that was never meant so. */
const mostMoved = 200

const isColumn = (code: string, message: string): boolean =>
  (code === 'BAD_INDENT' && message.startsWith('Flow')) || (code === 'MISSING_CHAR' && message.includes('closing'))

/** Where the first line with something in it begins that holds what is at `offset`, or is behind it where that ends a line. */
function lineAfter(text: string, offset: number): number | undefined {
  let start = text[offset] === '\n' || text.startsWith('\r\n', offset) ? offset : text.lastIndexOf('\n', offset - 1)
  for (;;) {
    const line = text.slice(start + 1, (text.indexOf('\n', start + 1) + 1 || text.length + 1) - 1)
    if (line.trim() !== '') return start + 1
    start = text.indexOf('\n', start + 1)
    if (start < 0) return undefined
  }
}

/** `moved` are the starts of lines, each as it was when those before it in the list had been moved. */
const placesBefore =
  (moved: readonly number[], margin: number) =>
  (offset: number): number => {
    let place = offset
    for (let at = moved.length - 1; at >= 0; at--) {
      const start = moved[at] ?? 0
      if (place >= start) place = Math.max(start, place - margin)
    }
    return place
  }
