import {
  LineCounter,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type YAMLMap,
} from 'yaml'
import { PipelineError } from '../../../base/errors/errors.js'
import { listYamlProblems } from '../../../base/values/yaml-problems.js'
import { refuseDepth, withinDepth, YamlValueError, yamlValues } from '../../../base/values/yaml-values.js'

/** A mapping of a YAML file, with the positions of its keys and values. */
export interface YamlMapping {
  readonly value: Readonly<Record<string, unknown>>
  /** Returns `file:line:column` of the value at the path, or of the last existing key on the way. */
  placeOf(path: readonly PropertyKey[]): string
  /** `file:line:column` of a top-level key. */
  placeOfKey(key: string): string
}

/**
 * Reads a YAML file that holds one mapping.
 *
 * @param fileName the file's name for messages
 * @throws PipelineError if the text is no YAML (every mistake with its position) or not one mapping
 */
export function parseYamlMapping(text: string, fileName: string): YamlMapping {
  const [mapping] = read(text, fileName, { mayBeList: false })
  if (mapping === undefined) throw new PipelineError('config', `${fileName}:1:1  expected a mapping`)
  return mapping
}

/** {@link parseYamlMapping} of a file that may also hold a list of them. */
export const parseYamlMappings = (text: string, fileName: string): readonly YamlMapping[] =>
  read(text, fileName, { mayBeList: true })

function read(text: string, fileName: string, form: Form): readonly YamlMapping[] {
  const lines = new LineCounter()
  const at = (offset: number | undefined): string => {
    const { line, col } = lines.linePos(offset ?? 0)
    return `${fileName}:${Math.max(1, line)}:${Math.max(1, col)}`
  }
  try {
    return readMappings(text, { ...form, lines, at, name: fileName })
  } catch (error) {
    if (!(error instanceof YamlValueError)) throw error
    throw new PipelineError('config', `${at(error.offset)}  ${error.message}`, { cause: error })
  }
}

interface Form {
  readonly mayBeList: boolean
}

interface Reading extends Form {
  readonly lines: LineCounter
  /** The file's name for messages. */
  readonly name: string
  readonly at: (offset: number | undefined) => string
}

function readMappings(text: string, { mayBeList, lines, at, name }: Reading): readonly YamlMapping[] {
  // Runs of a list share keys by `<<`, as PyYAML reads it.
  const options = {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    merge: true,
    logLevel: 'error',
  } as const
  const document = withinDepth(text, () => parseDocument(text, options))
  refuseDepth(document, text)
  const words = { name, secondDocument: 'one document per file: a second document begins here' }
  const problems = listYamlProblems(document, text, document.errors, words)
  if (problems.length > 0)
    throw new PipelineError(
      'config',
      problems.map(({ offset, message }) => `${at(offset)}  ${message}`),
      { cause: document.errors[0] },
    )
  const { contents } = document
  const isList = mayBeList && isSeq(contents) && contents.items.length > 0
  const items: readonly unknown[] = isList ? contents.items : [contents]
  const maps = items.map(item => (isAlias(item) ? item.resolve(document) : item))
  const others = maps.flatMap((map, index) => {
    const item = items[index]
    return isMap(map) ? [] : [isNode(item) ? item.range?.[0] : undefined]
  })
  if (others.length > 0) {
    const expected = isList ? 'each run of a list is a mapping' : 'expected a mapping'
    throw new PipelineError(
      'config',
      others.map(offset => `${at(offset)}  ${expected}, one "key: value" a line`),
    )
  }
  const twice = repeatedKeys(document)
  if (twice.length > 0)
    throw new PipelineError(
      'config',
      twice.map(({ name, offset }) => `${at(offset)}  ${name}: this key is given twice`),
    )
  const value = yamlValues(document, text)
  const values = (isList ? value : [value]) as readonly Record<string, unknown>[]
  return maps.filter(isMap).map((map, index) => ({
    value: values[index] ?? {},
    placeOf: path => at(findOffset(map, path)),
    placeOfKey: key => at(keyOffset(map, key)),
  }))
}

/** The library's own check compares each key with each. */
function repeatedKeys(document: Document): readonly { readonly name: string; readonly offset: number | undefined }[] {
  const repeated: { readonly name: string; readonly offset: number | undefined }[] = []
  visit(document, {
    Map(_, { items }) {
      const names = new Set<string>()
      for (const { key } of items) {
        const name = isScalar(key) ? String(key.value) : undefined
        if (name === undefined || name === '<<') continue
        if (names.has(name)) repeated.push({ name, offset: isScalar(key) ? key.range?.[0] : undefined })
        names.add(name)
      }
    },
  })
  return repeated
}

function findOffset(map: YAMLMap, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = map.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return map.range?.[0]
}

function keyOffset(map: YAMLMap, key: string): number | undefined {
  const keyPair = map.items.find(pair => isScalar(pair.key) && String(pair.key.value) === key)
  return isScalar(keyPair?.key) ? keyPair.key.range?.[0] : map.range?.[0]
}
