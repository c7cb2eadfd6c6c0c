import { LineCounter, isMap, isNode, isScalar, parseDocument, visit, type Document } from 'yaml'
import { PipelineError } from '../../base/errors.js'
import { refuseDepth, withinDepth, YamlValueError, yamlValues } from '../../base/yaml-values.js'

/** A YAML file that holds one mapping, with the places of its keys and values. */
export interface YamlMapping {
  readonly value: Readonly<Record<string, unknown>>
  /** `file:line:column` of the value at the path, or of the last key on the way that is there. */
  placeOf(path: readonly PropertyKey[]): string
  /** `file:line:column` of a top-level key. */
  placeOfKey(key: string): string
}

/**
 * @param shown the file's name as it stands in messages
 * @throws PipelineError where the text is no YAML (every mistake with its place) or something other than one mapping.
 */
export function parseYamlMapping(text: string, shown: string): YamlMapping {
  const lines = new LineCounter()
  const at = (offset: number | undefined): string => {
    const { line, col } = lines.linePos(offset ?? 0)
    return `${shown}:${Math.max(1, line)}:${Math.max(1, col)}`
  }
  try {
    return readMapping(text, lines, at)
  } catch (error) {
    if (!(error instanceof YamlValueError)) throw error
    throw new PipelineError('config', `${at(error.offset)}  ${error.message}`, { cause: error })
  }
}

function readMapping(text: string, lineCounter: LineCounter, at: (offset: number | undefined) => string): YamlMapping {
  const document = withinDepth(text, () => parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false }))
  refuseDepth(document, text)
  if (document.errors.length > 0) {
    const problems = document.errors.map(error => `${at(error.pos[0])}  ${error.message}`)
    throw new PipelineError('config', problems, { cause: document.errors[0] })
  }
  if (!isMap(document.contents)) {
    throw new PipelineError('config', `${at(document.contents?.range[0])}  expected a mapping, one "key: value" a line`)
  }
  const twice = repeatedKeys(document)
  if (twice.length > 0)
    throw new PipelineError(
      'config',
      twice.map(({ name, offset }) => `${at(offset)}  ${name}: this key stands there twice`),
    )
  return {
    value: yamlValues(document, text) as Record<string, unknown>,
    placeOf: path => at(offsetOf(document, path)),
    placeOfKey: key => at(keyOffset(document, key)),
  }
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

function offsetOf(document: Document, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return document.contents?.range?.[0]
}

function keyOffset(document: Document, key: string): number | undefined {
  if (!isMap(document.contents)) return undefined
  const found = document.contents.items.find(pair => isScalar(pair.key) && String(pair.key.value) === key)
  return isScalar(found?.key) ? found.key.range?.[0] : undefined
}
