import { isList, isObject, type Json } from '../../../base/values/canonical-json.js'

/**
 * Values in the form that Python code gets and returns. An object with one key that begins with `$` is a value that JSON cannot represent:
 * `{"$float": "3.0"}`, `{"$image": {"path": "/a.png"}}`, `{"$tuple": [1, 2]}`. The Python side is `src/python/worker/wire.py`.
 */
export type WireTag =
  | '$float'
  | '$int'
  | '$bytes'
  | '$datetime'
  | '$date'
  | '$time'
  | '$timedelta'
  | '$pandas'
  | '$decimal'
  | '$tuple'
  | '$set'
  | '$dict'
  | '$array'
  | '$image'
  | '$audio'
  | '$file'

const tags: ReadonlySet<string> = new Set<WireTag>([
  '$float',
  '$int',
  '$bytes',
  '$datetime',
  '$date',
  '$time',
  '$timedelta',
  '$pandas',
  '$decimal',
  '$tuple',
  '$set',
  '$dict',
  '$array',
  '$image',
  '$audio',
  '$file',
])

/** A value that JSON has not. */
export interface TaggedValue {
  readonly tag: WireTag
  readonly content: Json
}

/** A file of a picture or a recording. `made`: Python code wrote it to the exchange folder. */
export interface WireMedium {
  readonly path: string
  readonly made?: boolean
}

/** Returns the value of a tagged object, or undefined for a plain value. */
export function taggedValue(value: Json | undefined): TaggedValue | undefined {
  if (!isObject(value)) return undefined
  const keys = Object.keys(value)
  const [tag] = keys
  if (keys.length !== 1 || tag === undefined || !tags.has(tag)) return undefined
  return { tag: tag as WireTag, content: value[tag] ?? null }
}

/** Returns the picture's or recording's file if the value is one. */
export function wireMedium(value: Json | undefined): (WireMedium & { readonly kind: 'image' | 'audio' }) | undefined {
  const taggedEntry = taggedValue(value)
  if (
    taggedEntry === undefined ||
    (taggedEntry.tag !== '$image' && taggedEntry.tag !== '$audio') ||
    !isObject(taggedEntry.content)
  )
    return undefined
  const { path, made } = taggedEntry.content
  if (typeof path !== 'string') return undefined
  return { kind: taggedEntry.tag === '$image' ? 'image' : 'audio', path, ...(made === true && { made }) }
}

/**
 * Writes a value of JavaScript for Python. A whole number is an `int` there.
 *
 * @throws TypeError for a function, a symbol or an object of a class that Python has no counterpart of
 */
export function toWire(value: unknown): Json {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return numberToWire(value)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : { $int: String(value) }
  if (isList(value)) return value.map(toWire)
  if (value instanceof Date) return { $datetime: value.toISOString() }
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (value instanceof Set) return { $set: [...value].map(toWire) }
  if (value instanceof Map) return { $dict: [...value].map(([key, item]) => [toWire(key), toWire(item)]) }
  if (ArrayBuffer.isView(value)) return [...(value as unknown as Iterable<number | bigint>)].map(toWire)
  if (isObject(value) && isPlain(value)) return objectToWire(value)
  throw new TypeError(
    `Python has no form for a value of type ${typeof value === 'object' ? value.constructor.name : typeof value}`,
  )
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function numberToWire(value: number): Json {
  if (!Number.isFinite(value)) return { $float: Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf' }
  if (Object.is(value, -0)) return { $float: '-0.0' }
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? { $float: String(value) } : value
}

function objectToWire(value: Readonly<Record<string, unknown>>): Json {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  const [first] = entries
  // An object that only looks like a tagged value is returned unchanged.
  if (entries.length === 1 && first?.[0].startsWith('$') === true) return { $dict: [[first[0], toWire(first[1])]] }
  return Object.fromEntries(entries.map(([key, item]) => [key, toWire(item)]))
}

/** Returns the number in wire form (`1`, `0.5`, `{"$float": "nan"}`), or undefined for a value that is no number. */
export function wireNumber(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value
  const taggedEntry = taggedValue(value)
  if (taggedEntry?.tag !== '$float' && taggedEntry?.tag !== '$int' && taggedEntry?.tag !== '$decimal') return undefined
  return typeof taggedEntry.content === 'string' ? pythonNumber(taggedEntry.content) : undefined
}

const namedNumbers: Readonly<Record<string, number>> = { nan: NaN, inf: Infinity, '-inf': -Infinity }

const pythonNumber = (text: string): number => namedNumbers[text.toLowerCase()] ?? Number(text)

/**
 * Returns a value of Python as plain JSON: tuples and sets are lists, keys are texts, dates are ISO texts. Values without a plain form stay tagged:
 * numbers that are not finite, integers beyond 2^53, bytes, arrays and media.
 */
export function plainValue(value: Json): Json {
  if (isList(value)) return value.map(plainValue)
  if (!isObject(value)) return value
  const taggedEntry = taggedValue(value)
  if (taggedEntry === undefined) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainValue(item ?? null)]))
  }
  return plainTagged(taggedEntry) ?? value
}

function plainTagged({ tag, content }: TaggedValue): Json | undefined {
  switch (tag) {
    case '$float': {
      const number = typeof content === 'number' ? content : wireNumber({ $float: content })
      return number === undefined || !Number.isFinite(number) ? undefined : number
    }
    case '$timedelta': {
      const [days = 0, seconds = 0, microseconds = 0] = isList(content) ? content.map(Number) : []
      return days * 86_400 + seconds + microseconds / 1e6
    }
    case '$tuple':
    case '$set':
      return isList(content) ? content.map(plainValue) : undefined
    case '$dict':
      return plainEntries(content)
    case '$datetime':
      return isList(content) ? (content[0] ?? null) : content
    case '$pandas':
      return isList(content) ? (content[1] ?? null) : undefined
    case '$date':
    case '$time':
    case '$decimal':
    case '$file':
      return content
    case '$int':
    case '$bytes':
    case '$array':
    case '$image':
    case '$audio':
      return undefined
  }
}

function plainEntries(pairs: Json): Json | undefined {
  if (!isList(pairs)) return undefined
  return Object.fromEntries(
    pairs.map(pair => {
      const [key = null, item = null] = isList(pair) ? pair : []
      return [keyText(key), plainValue(item)]
    }),
  )
}

/** A key as Python's `json` writes it: `1`, `true`, `null`. */
function keyText(key: Json): string {
  const plain = plainValue(key)
  return typeof plain === 'string' ? plain : JSON.stringify(plain)
}
