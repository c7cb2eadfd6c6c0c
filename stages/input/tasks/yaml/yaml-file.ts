import { type Document, isMap, isNode, isPair, isScalar, LineCounter, type Node, type Tags } from 'yaml'
import { messageOf } from '../../../../base/errors/errors.js'
import { FileError, readText } from '../../../../base/files/files.js'
import { emptyTable } from '../../../../base/values/named-values.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import {
  mostAliases,
  refuseCircles,
  refuseDepth,
  withinDepth,
  YamlValueError,
  yamlValues,
} from '../../../../base/values/yaml-values.js'
import { explicitTags } from './explicit-tags.js'
import { describeEscape, findLiteralEscapes } from './literal-escapes.js'
import {
  dropRepeated,
  printNumbers,
  type ReadDocument,
  readLeniently,
  type ReadOptions,
  type RepeatedKey,
  spellKeys,
} from './yaml-habits.js'
import { parseFunctionRef } from '../function-ref.js'
import { listYamlProblems } from '../../../../base/values/yaml-problems.js'

/** A parsed YAML file, with the position of each value. */
export interface YamlFile {
  readonly file: string
  readonly values: Readonly<Record<string, unknown>>
  /** Errors of the YAML itself, as `file:line:column  text`. */
  readonly problems: readonly string[]
  /** Notes, in the same form. */
  readonly notes: readonly string[]
  /** Returns `file:line:column` of a value, or of its nearest ancestor that exists. */
  at(path: readonly PropertyKey[]): string
  /** Returns `file:line:column` of a key. */
  atKey(path: readonly PropertyKey[]): string
}

/**
 * Reads a task file. Never throws for its content.
 *
 * @throws FileError where the file does not exist or cannot be read.
 */
export async function readYamlFile(file: string): Promise<YamlFile> {
  let text: string
  try {
    text = await readText(file)
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== 'ENOTFILE') throw error
    return withoutValues(file, `${shownPath(file)}:${error.line ?? 1}:1  ${error.message}`)
  }
  return parseYamlFile(text, file)
}

const parseOptions = (file: string): ReadOptions => ({
  version: '1.1',
  customTags: makeCustomTags(file),
  prettyErrors: false,
  uniqueKeys: false,
  // Else a key that is a list or mapping makes Node print a warning.
  logLevel: 'error',
})

/** Parses the text of a task file. Never throws for its content. */
export function parseYamlFile(source: string, file: string): YamlFile {
  const lines = new LineCounter()
  const read = readDocument(source, file, lines)
  if (read instanceof YamlValueError) {
    const { line, col } = lines.linePos(read.offset)
    return withoutValues(file, `${shownPath(file)}:${Math.max(1, line)}:${Math.max(1, col)}  ${read.message}`)
  }
  const { document, text, placeOf } = read
  const locate = (offset: number): string => {
    const { line, col } = lines.linePos(placeOf(offset))
    return `${shownPath(file)}:${line}:${col}`
  }
  const found = [...document.errors, ...document.warnings.filter(({ code }) => code !== 'BAD_INDENT')]
  const words = { name: shownPath(file), secondDocument: 'one task per file: a second document begins here' }
  const problems = listYamlProblems(document, text, found, words).map(
    ({ offset, message }) => `${locate(offset)}  ${message}`,
  )
  const {
    values,
    repeated = [],
    problem,
  } = problems.length > 0 && found.length === 0 ? noValues : readDocumentValues(document, text)
  const refused = repeated.filter(({ isTaken }) => !isTaken)
  const overriddenKeys = repeated.filter(({ isTaken }) => isTaken)
  for (const { name, offset } of refused) problems.push(`${locate(offset)}  ${name}: this key is given twice`)
  if (problems.length === 0 && problem !== undefined) problems.push(`${locate(problem.offset)}  ${problem.message}`)
  return {
    file,
    values,
    problems,
    notes: [
      ...overriddenKeys.map(
        ({ name, offset }) => `${locate(offset)}  ${name}: this key is given twice, and the last counts`,
      ),
      ...findLiteralEscapes(document).map(
        ({ key, escape, offset }) => `${locate(offset)}  ${describeEscape(key, escape)}`,
      ),
    ],
    at: path => locate(valueOffset(document, text, path)),
    atKey: path => locate(keyOffset(document, text, path)),
  }
}

/**
 * Reads the top-level keys of a task file, even if other parts are invalid. A value that is one word but not a text
 * (`yes`, `12`) is kept as spelled. The last of repeated keys counts, as in {@link readYamlFile}.
 */
export function readTopLevel(
  source: string,
  file: string,
): { readonly values: Readonly<Record<string, unknown>>; readonly isWhole: boolean } {
  const read = readDocument(source, file, new LineCounter())
  if (read instanceof YamlValueError) return { values: {}, isWhole: false }
  const { document } = read
  const { contents, errors } = document
  const isWhole = errors.length === 0
  if (!isMap(contents)) return { values: {}, isWhole }
  // A merged key (`<<: *base`) appears among the values only.
  const values = Object.assign(emptyTable<unknown>(), readDocumentValues(document, read.text).values)
  for (const { key, value } of contents.items) {
    if (!isScalar(key) || typeof key.value !== 'string' || key.source === '<<') continue
    const isOddWord = isScalar(value) && value.value !== null && typeof value.value !== 'string'
    values[key.value] = isOddWord
      ? (value.source ?? String(value.value))
      : isNode(value)
        ? partialValue(value, document)
        : null
  }
  return { values, isWhole }
}

function partialValue(node: Node, document: Document): unknown {
  try {
    return node.toJS(document, { maxAliasCount: mostAliases })
  } catch {
    // An alias without an anchor, or too many aliases. Reading the whole file reports it.
    return null
  }
}

function withoutValues(file: string, problem: string): YamlFile {
  const locate = (): string => `${shownPath(file)}:1:1`
  return { file, values: {}, problems: [problem], notes: [], at: locate, atKey: locate }
}

function readDocument(text: string, file: string, lines: LineCounter): ReadDocument | YamlValueError {
  try {
    const read = withinDepth(text, () => readLeniently(text, parseOptions(file), lines))
    refuseDepth(read.document, read.text)
    return read
  } catch (error) {
    if (error instanceof YamlValueError) return error
    throw error
  }
}

interface ReadValues {
  readonly values: Record<string, unknown>
  readonly repeated?: readonly RepeatedKey[]
  readonly problem?: { readonly message: string; readonly offset: number }
}

/** The values of a file whose only mistakes are templates without quotes. More would be said of the same lines. */
const noValues: ReadValues = { values: {} }

function readDocumentValues(document: Document, text: string): ReadValues {
  try {
    refuseCircles(document)
    spellKeys(document)
    const repeated = dropRepeated(document)
    if (document.errors.length > 0) return { values: {}, repeated }
    if (!isMap(document.contents))
      return { values: {}, problem: { message: 'expected keys and values at the top', offset: 0 } }
    printNumbers(document)
    return { values: yamlValues(document, text) as Record<string, unknown>, repeated }
  } catch (error) {
    const offset = error instanceof YamlValueError ? error.offset : 0
    return { values: {}, problem: { message: messageOf(error), offset } }
  }
}

/** YAML 1.1 as other programs read task files, without its surprises: `y`, `n`, `.`, dates and `1:30` are texts. */
const makeCustomTags =
  (file: string) =>
  (tags: Tags): Tags => [
    ...tags.filter(tag => typeof tag === 'string' || !isSurprising(tag)),
    integer,
    float,
    boolean(true, /^(?:[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON)$/),
    boolean(false, /^(?:[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/),
    ...explicitTags,
    {
      tag: '!function',
      resolve(text: string, onError: (message: string) => void) {
        const ref = parseFunctionRef(text, file)
        if (ref === undefined) onError(`!function ${text}: expected a file and an export, such as utils.${text}`)
        return ref
      },
    },
  ]

const boolean = (value: boolean, test: RegExp): Exclude<Tags[number], string> => ({
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test,
  resolve: () => value,
})

// `08` is a text, and so are integers that JavaScript would round.
const integer: Exclude<Tags[number], string> = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?(?:0|[1-9][\d_]*)$/,
  resolve(text: string) {
    const value = Number(text.replaceAll('_', ''))
    return Number.isSafeInteger(value) ? value : text
  },
}

// The library's own tag reads `.` and `e5` as numbers.
const float: Exclude<Tags[number], string> = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^[-+]?(?:(?:\d[\d_]*\.[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?|\d[\d_]*[eE][-+]?\d+)$/,
  resolve: (text: string) => Number(text.replaceAll('_', '')),
}

const isSurprising = (tag: Exclude<Tags[number], string>): boolean =>
  ('format' in tag ? tag.format === 'TIME' : tag.tag.endsWith(':int')) ||
  /:(bool|float|timestamp|binary|omap|pairs|set)$/.test(tag.tag)

function valueOffset(document: Document, text: string, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length--) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (!isNode(node) || node.range === undefined || node.range === null) continue
    // The range of a tagged value begins after its tag.
    if (isScalar(node) && node.tag === '!function') return text.lastIndexOf('!function', node.range[0])
    return node.range[0]
  }
  return 0
}

function keyOffset(document: Document, text: string, path: readonly PropertyKey[]): number {
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  if (!isMap(parent)) return valueOffset(document, text, path)
  const pair = parent.items.find(item => isPair(item) && isScalar(item.key) && item.key.value === path.at(-1))
  const key = pair?.key
  return isScalar(key) && key.range ? key.range[0] : valueOffset(document, text, path)
}
