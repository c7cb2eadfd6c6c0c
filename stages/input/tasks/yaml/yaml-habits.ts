import {
  type Document,
  type DocumentOptions,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Pair,
  parseDocument,
  type ParseOptions,
  type SchemaOptions,
  visit,
} from 'yaml'
import { floatText } from '../../../../base/python/python-text.js'

/** A key that a map contains twice with different values. */
export interface RepeatedKey {
  readonly name: string
  readonly offset: number
  /**
   * True if the last value counts, as in PyYAML. Other programs' files have such keys within filters and group rules.
   */
  readonly isTaken: boolean
}

/** Drops keys that a map repeats with the same value, and returns those whose values differ. */
export function dropRepeated(document: Document): readonly RepeatedKey[] {
  const repeated: RepeatedKey[] = []
  visit(document, {
    Map(_, map, path) {
      const last = new Map<string, Pair>()
      for (const pair of map.items) {
        const name = readKeyName(pair)
        if (name === undefined) continue
        const before = last.get(name)
        if (before !== undefined && formatPairValue(before, document) !== formatPairValue(pair, document))
          repeated.push({ name, offset: readKeyOffset(pair), isTaken: isTaken(name, path.length) })
        last.set(name, pair)
      }
      map.items = map.items.filter(pair => (last.get(readKeyName(pair) ?? '') ?? pair) === pair)
    },
  })
  return repeated
}

/** A map at the top level is directly below the document. */
const isTaken = (name: string, depth: number): boolean => depth > 1 || name === 'aggregate_metric_list'

const formatPairValue = ({ value }: Pair, document: Document): string | undefined =>
  JSON.stringify(isNode(value) ? value.toJS(document) : value)

const readKeyOffset = ({ key }: Pair): number => (isScalar(key) ? (key.range?.[0] ?? 0) : 0)

/** `<<` may appear in a map several times. */
const readKeyName = ({ key }: Pair): string | undefined =>
  isScalar(key) && key.source !== '<<' ? String(key.value) : undefined

/**
 * Turns numbers among the choices into texts as Python prints them, since choices are shown as spelled: `1.0`, not
 * `1`.
 */
export function printNumbers(document: Document): void {
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.value !== 'doc_to_choice') return
      const list = isAlias(value) ? value.resolve(document) : value
      if (!isSeq(list) && !isMap(list)) return
      for (const item of list.items) {
        const scalar = isPair(item) ? item.value : item
        if (!isScalar(scalar) || typeof scalar.value !== 'number') continue
        const text = formatYamlNumber(scalar.value, scalar.source)
        if (text !== String(scalar.value)) scalar.value = text
      }
    },
  })
}

/** PyYAML reads a number with an exponent only in its longest spelling. */
function formatYamlNumber(value: number, source = ''): string {
  if (!/[.eE]/.test(source) || /^[-+]?0x/i.test(source)) return String(value)
  return pythonFloat.test(source) ? floatText(value) : source
}

const pythonFloat = /^(?:[-+]?\d[\d_]*\.[\d_]*|\.\d[\d_]*)(?:[eE][-+]\d+)?$/

/** A document and its source text. Lines may be indented further than in the file. */
export interface ReadDocument {
  readonly document: Document
  readonly text: string
  /** Returns the offset in the file of an offset in `text`. */
  readonly placeOf: (offset: number) => number
}

export type ReadOptions = ParseOptions & DocumentOptions & SchemaOptions

/**
 * Parses YAML as PyYAML does, which ignores the indentation of lines within `{…}`, `[…]` and quotes. The library
 * wants them indented further than the key, so lines that it rejects are indented. Where that does not help, errors
 * refer to the file as it stands.
 *
 * @param lineCounter receives the offsets of lines in `text`
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

/** A file with more such lines is not meant this way. */
const mostMoved = 200

const isColumn = (code: string, message: string): boolean =>
  (code === 'BAD_INDENT' && message.startsWith('Flow')) || (code === 'MISSING_CHAR' && message.includes('closing'))

/**
 * Returns the offset of the first non-empty line that contains `offset`, or follows it where `offset` ends a line.
 */
function lineAfter(text: string, offset: number): number | undefined {
  let start = text[offset] === '\n' || text.startsWith('\r\n', offset) ? offset : text.lastIndexOf('\n', offset - 1)
  for (;;) {
    const line = text.slice(start + 1, (text.indexOf('\n', start + 1) + 1 || text.length + 1) - 1)
    if (line.trim() !== '') return start + 1
    start = text.indexOf('\n', start + 1)
    if (start < 0) return undefined
  }
}

/** `moved` holds offsets of lines, each counted when those before it in the list had been indented. */
const placesBefore =
  (moved: readonly number[], margin: number) =>
  (offset: number): number => {
    let position = offset
    for (let at = moved.length - 1; at >= 0; at--) {
      const start = moved[at] ?? 0
      if (position >= start) position = Math.max(start, position - margin)
    }
    return position
  }

/** Makes a key the text that stands in the file: `yes`, `no`, `1.0` and `null` are texts there, which JSON keys would change. */
export function spellKeys(document: Document): void {
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && key.type === 'PLAIN' && typeof key.value !== 'string' && key.source !== undefined)
        key.value = key.source
    },
  })
}
