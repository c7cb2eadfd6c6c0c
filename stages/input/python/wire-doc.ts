/** Converts docs to JSON for a Python worker, and results of its functions to values. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pythonFloat } from '../../../base/python/python-text.js'
import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { emptyTable, ownValue, setValue } from '../../../base/values/named-values.js'
import type { Feature, Features } from '../datasets/columns/features.js'
import { type FloatFields, type Floats, isLeaf } from '../datasets/columns/floats.js'
import type { Doc, MediumSource } from '../tasks/doc.js'
import { timeText } from '../datasets/columns/times.js'
import { wireLeaf, wireNumber } from './wire-leaf.js'

/** The facts about a dataset's values, and the folder where media are handed over. */
export interface WireContext {
  readonly features?: Features
  readonly floats?: FloatFields
  /** Finds the file of a medium that a row names. */
  readonly locate: (name: string) => Promise<string | undefined>
  /** The folder to which media bytes from the dataset are written. */
  readonly exchange: string
}

/** Media files that were passed to Python, by path. */
export type HandedOver = Map<string, MediumSource>

let fileCount = 0

/** Converts a doc for Python: media are passed by path, and floating-point numbers are marked. */
export async function wireDoc(doc: Doc, context: WireContext, files: HandedOver): Promise<Json> {
  const fields = emptyTable<Json>()
  for (const [name, value] of Object.entries(doc)) {
    const feature = ownValue(context.features ?? {}, name)
    const floats = ownValue(context.floats ?? {}, name)
    setValue(fields, name, await wireValue(value, { feature, floats }, context, files))
  }
  return escapeFields(fields)
}

interface FieldType {
  readonly feature: Feature | undefined
  readonly floats: Floats | undefined
}

async function wireValue(value: unknown, fieldType: FieldType, context: WireContext, files: HandedOver): Promise<Json> {
  const { feature, floats } = fieldType
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'string') {
    if (floats !== undefined && isLeaf(floats)) return wireLeaf(value, floats)
    return typeof value === 'number' ? wireNumber(value, false) : value
  }
  if (typeof value === 'boolean') return value
  if (typeof value === 'bigint') return { $int: String(value) }
  if (feature?.type === 'image' || feature?.type === 'audio') return handedOver(value, feature.type, context, files)
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (value instanceof Date) return { $datetime: value.toISOString() }
  if (Array.isArray(value)) {
    const of = feature?.type === 'list' ? feature.of : undefined
    const item = floats !== undefined && !isLeaf(floats) && 'items' in floats ? floats.items : undefined
    const items: Json[] = []
    for (const element of value as readonly unknown[])
      items.push(await wireValue(element, { feature: of, floats: item }, context, files))
    return items
  }
  const fields = emptyTable<Json>()
  for (const [name, field] of Object.entries(value)) {
    const inner: FieldType = {
      feature: feature?.type === 'struct' ? ownValue(feature.fields, name) : undefined,
      floats: floats !== undefined && !isLeaf(floats) && 'fields' in floats ? ownValue(floats.fields, name) : undefined,
    }
    setValue(fields, name, await wireValue(field, inner, context, files))
  }
  return escapeFields(fields)
}

/** Escapes a dictionary whose single key begins with `$`, because it would be read as a marked value. */
function escapeFields(fields: Readonly<Record<string, Json>>): Json {
  const [[name, value] = ['', null], ...otherEntries] = Object.entries(fields)
  return name.startsWith('$') && otherEntries.length === 0 ? { $dict: [[name, value] as const] } : fields
}

async function handedOver(
  value: unknown,
  kind: 'image' | 'audio',
  { locate, exchange }: WireContext,
  files: HandedOver,
): Promise<Json> {
  const { bytes, path } = isObject(value)
    ? (value as { bytes?: unknown; path?: unknown })
    : { bytes: value, path: null }
  const markMediumFile = (file: string): Json =>
    kind === 'image' ? { $image: { path: file } } : { $audio: { path: file, decode: true } }
  if (bytes instanceof Uint8Array) {
    const ending = typeof path === 'string' ? (/\.\w+$/.exec(path)?.[0] ?? '') : ''
    const file = join(exchange, `doc-${++fileCount}${ending}`)
    await writeFile(file, bytes)
    files.set(file, value as MediumSource)
    return markMediumFile(file)
  }
  if (typeof path !== 'string') return null
  const file = (await locate(path)) ?? path
  files.set(file, value as MediumSource)
  return markMediumFile(file)
}

/**
 * Converts a function's result: numbers, texts, lists and objects unchanged, media as paths or as the media of the doc.
 *
 * @param files the media that were passed with the doc
 */
export const fromWire = (value: Json, files: ReadonlyMap<string, MediumSource>): unknown =>
  readWire(value, files, number => number)

/** Converts a value that is going to be printed. Its floating-point numbers print as in Python. */
export const printedFromWire = (value: Json, files: ReadonlyMap<string, MediumSource>): unknown =>
  readWire(value, files, pythonFloat)

type ReadFloat = (number: number) => unknown

function readWire(value: Json, files: ReadonlyMap<string, MediumSource>, float: ReadFloat): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => readWire(item, files, float))
  const [[mark, content] = ['', null], ...otherEntries] = Object.entries(value)
  if (mark.startsWith('$') && otherEntries.length === 0) return fromMarked(mark, content ?? null, files, float)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, readWire(item as Json, files, float)]))
}

const infinities: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Infinity, '-inf': -Infinity }

function fromMarked(mark: string, content: Json, files: ReadonlyMap<string, MediumSource>, float: ReadFloat): unknown {
  switch (mark) {
    case '$float':
      return float(infinities[textIn(content)] ?? Number(content))
    case '$int':
      return textIn(content)
    case '$bytes':
      return new Uint8Array(Buffer.from(textIn(content), 'base64'))
    case '$tuple':
    case '$set':
      return readWire(content, files, float)
    case '$dict':
      return Object.fromEntries(
        (content as [Json, Json][]).map(([name, item]) => [textIn(name), readWire(item, files, float)]),
      )
    case '$image':
    case '$audio': {
      const { path = '' } = content as { path?: string }
      return files.get(path) ?? { bytes: null, path }
    }
    case '$datetime':
      // As Python's `str` prints it.
      return textIn(Array.isArray(content) ? (content[0] as Json) : content).replace('T', ' ')
    case '$timedelta': {
      const [days, seconds, microseconds] = (content as [number, number, number]).map(BigInt) as [
        bigint,
        bigint,
        bigint,
      ]
      const count = (days * 86_400n + seconds) * 1_000_000n + microseconds
      return timeText(count, { of: 'duration', unit: 'us' }, () => 'a duration')
    }
    case '$pandas':
      return (content as readonly Json[])[1]
    default:
      return typeof content === 'object' ? content : textIn(content)
  }
}

const textIn = (content: Json): string => (typeof content === 'string' ? content : JSON.stringify(content))
