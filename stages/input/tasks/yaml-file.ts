import { readFile } from 'node:fs/promises'
import { LineCounter, isMap, isNode, isPair, isScalar, type Document, type Node, type Tags } from 'yaml'
import { messageOf } from '../../../base/errors.js'
import { shownPath } from '../../../base/shown-path.js'
import { explicitTags } from './explicit-tags.js'
import { readLeniently, type ReadOptions } from './flow-indentation.js'
import { parseFunctionRef } from './function-ref.js'
import { dropRepeated, printNumbers, type RepeatedKey } from './yaml-habits.js'

/** One YAML file, read: its values and where each of them stands. */
export interface YamlFile {
  readonly file: string
  readonly values: Readonly<Record<string, unknown>>
  /** What is wrong with the YAML itself, as `file:line:column  text`. */
  readonly problems: readonly string[]
  /** `file:line:column` of a value, or of its nearest ancestor that is there. */
  at(path: readonly PropertyKey[]): string
  /** `file:line:column` of a key. */
  atKey(path: readonly PropertyKey[]): string
}

/** Reads a task file. Never throws for what is in it. @throws Error of the file system. */
export async function readYamlFile(file: string): Promise<YamlFile> {
  return parseYamlFile(await readFile(file, 'utf8'), file)
}

const parseOptions = (file: string): ReadOptions => ({
  version: '1.1',
  customTags: tagsOf(file),
  prettyErrors: false,
  uniqueKeys: false,
})

/** Reads the text of a task file. Never throws for what is in it. */
export function parseYamlFile(written: string, file: string): YamlFile {
  const lines = new LineCounter()
  const { document, text, placeOf } = readLeniently(written, parseOptions(file), lines)
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(placeOf(offset))
    return `${shownPath(file)}:${line}:${col}`
  }
  const problems = [...document.errors, ...document.warnings.filter(({ code }) => code !== 'BAD_INDENT')].map(
    ({ pos: [offset], message }) => `${place(offset)}  ${message}`,
  )
  const { values, repeated = [], problem } = valuesOf(document)
  problems.push(...repeated.map(({ name, offset }) => `${place(offset)}  ${name}: this key stands there twice`))
  if (problems.length === 0 && problem !== undefined) problems.push(`${place(0)}  ${problem}`)
  return {
    file,
    values,
    problems,
    at: path => place(valueOffset(document, text, path)),
    atKey: path => place(keyOffset(document, text, path)),
  }
}

/**
 * The keys at the top of a task file, also of one that is wrong elsewhere. A value that is one word and no text (`yes`, `12`) is
 * the word as it is written. The last of repeated keys counts, as in {@link readYamlFile}.
 */
export function readTopLevel(
  written: string,
  file: string,
): { readonly values: Readonly<Record<string, unknown>>; readonly isWhole: boolean } {
  const { document } = readLeniently(written, parseOptions(file), new LineCounter())
  const { contents, errors } = document
  const isWhole = errors.length === 0
  if (!isMap(contents)) return { values: {}, isWhole }
  // A merged key (`<<: *base`) stands among the values alone.
  const values: Record<string, unknown> = { ...valuesOf(document).values }
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
    return null
  }
}

interface ReadValues {
  readonly values: Record<string, unknown>
  readonly repeated?: readonly RepeatedKey[]
  readonly problem?: string
}

function valuesOf(document: Document): ReadValues {
  try {
    const repeated = dropRepeated(document)
    if (document.errors.length > 0) return { values: {}, repeated }
    if (!isMap(document.contents)) return { values: {}, problem: 'expected keys and values at the top' }
    printNumbers(document)
    return { values: document.toJS({ maxAliasCount: mostAliases }) as Record<string, unknown>, repeated }
  } catch (error) {
    return { values: {}, problem: messageOf(error) }
  }
}

/** Enough for what people write, and too few for aliases of aliases of aliases. */
const mostAliases = 100_000

/**
 * YAML 1.1 as other tools read task files, without its surprises: `y`, `n`, `.`, dates and `1:30` are text.
 */
const tagsOf =
  (file: string) =>
  (tags: Tags): Tags => [
    ...tags.filter(tag => typeof tag === 'string' || !surprising(tag)),
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

// `08` is text, and so is what JavaScript would round.
const integer: Exclude<Tags[number], string> = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?(?:0|[1-9][\d_]*)$/,
  resolve(text: string) {
    const value = Number(text.replaceAll('_', ''))
    return Number.isSafeInteger(value) ? value : text
  },
}

// The library's own takes `.` and `e5` for numbers.
const float: Exclude<Tags[number], string> = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^[-+]?(?:(?:\d[\d_]*\.[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?|\d[\d_]*[eE][-+]?\d+)$/,
  resolve: (text: string) => Number(text.replaceAll('_', '')),
}

const surprising = (tag: Exclude<Tags[number], string>): boolean =>
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
