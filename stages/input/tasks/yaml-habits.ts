import { isAlias, isMap, isNode, isPair, isScalar, isSeq, visit, type Document, type Pair } from 'yaml'
import { floatText } from '../render/python-text.js'

/** A key that stands in a map with another value before, and where it stands again. */
export interface RepeatedKey {
  readonly name: string
  readonly offset: number
  /** Whether the last one is taken, as PyYAML does: other programs' files have such keys within filters, and lists of numbers of groups. */
  readonly isTaken: boolean
}

/** Drops keys that a map has twice with the same value, as files by many hands do, and gives those whose values differ. */
export function dropRepeated(document: Document): readonly RepeatedKey[] {
  const repeated: RepeatedKey[] = []
  visit(document, {
    Map(_, map, path) {
      const last = new Map<string, Pair>()
      for (const pair of map.items) {
        const name = nameOf(pair)
        if (name === undefined) continue
        const before = last.get(name)
        if (before !== undefined && valueOf(before, document) !== valueOf(pair, document))
          repeated.push({ name, offset: offsetOf(pair), isTaken: isTaken(name, path.length) })
        last.set(name, pair)
      }
      map.items = map.items.filter(pair => (last.get(nameOf(pair) ?? '') ?? pair) === pair)
    },
  })
  return repeated
}

/** A map at the top is below the document alone. */
const isTaken = (name: string, depth: number): boolean => depth > 1 || name === 'aggregate_metric_list'

const valueOf = ({ value }: Pair, document: Document): string | undefined =>
  JSON.stringify(isNode(value) ? value.toJS(document) : value)

const offsetOf = ({ key }: Pair): number => (isScalar(key) ? (key.range?.[0] ?? 0) : 0)

/** `<<` may stand in a map several times. */
const nameOf = ({ key }: Pair): string | undefined =>
  isScalar(key) && key.source !== '<<' ? String(key.value) : undefined

/** Choices are shown as they are, so numbers among them are made texts as Python prints them: `1.0`, not `1`. */
export function printNumbers(document: Document): void {
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.value !== 'doc_to_choice') return
      const list = isAlias(value) ? value.resolve(document) : value
      if (!isSeq(list) && !isMap(list)) return
      for (const item of list.items) {
        const scalar = isPair(item) ? item.value : item
        if (!isScalar(scalar) || typeof scalar.value !== 'number') continue
        const text = printed(scalar.value, scalar.source)
        if (text !== String(scalar.value)) scalar.value = text
      }
    },
  })
}

/** Of the ways to write a number with an exponent PyYAML reads only the longest as one. */
function printed(value: number, source = ''): string {
  if (!/[.eE]/.test(source) || /^[-+]?0x/i.test(source)) return String(value)
  return pythonFloat.test(source) ? floatText(value) : source
}

const pythonFloat = /^(?:[-+]?\d[\d_]*\.[\d_]*|\.\d[\d_]*)(?:[eE][-+]\d+)?$/
