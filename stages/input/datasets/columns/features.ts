import { isObject } from '../../../../base/values/canonical-json.js'
import { ownValue } from '../../../../base/values/named-values.js'
import { PipelineError } from '../../../../base/errors/errors.js'
import { isMediaKind, type MediaKind } from '../layout/file-kinds.js'

/** The type of a column, in the words of the Hub's schema. */
export type Feature =
  | { readonly type: MediaKind }
  /** A class label: an integer that is an index of `names`. */
  | { readonly type: 'class'; readonly names: readonly string[] }
  | { readonly type: 'value'; readonly dtype: string }
  | { readonly type: 'list'; readonly of: Feature }
  | { readonly type: 'struct'; readonly fields: Features }

export type Features = Readonly<Record<string, Feature>>

/**
 * Reads `features` as `datasets` writes them: as JSON (`{image: {_type: "Image"}}`, in `dataset_info.json` and in the
 * metadata of Parquet and Arrow files), or as the list of a dataset card (`[{name: image, dtype: image}]`). Unknown
 * types are left out, since the file itself states how it is read.
 */
export function readFeatures(value: unknown): Features | undefined {
  const entries = Array.isArray(value)
    ? value.flatMap(item => (isObject(item) && typeof item['name'] === 'string' ? [[item['name'], item] as const] : []))
    : isObject(value)
      ? Object.entries(value)
      : undefined
  return entries && Object.fromEntries(entries.flatMap(([name, item]) => makeFieldEntries(name, readFeature(item))))
}

const makeFieldEntries = (name: string, feature: Feature | undefined): [string, Feature][] =>
  feature === undefined ? [] : [[name, feature]]

/** Reads the features that `datasets` stores in a schema's metadata under the key `huggingface`. */
export function featuresInMetadata(text: string | undefined): Features | undefined {
  if (text === undefined) return undefined
  try {
    const parsed = JSON.parse(text) as { info?: { features?: unknown } } | null
    return readFeatures(parsed?.info?.features)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function readFeature(value: unknown): Feature | undefined {
  if (typeof value === 'string') return ofName(value)
  if (Array.isArray(value))
    return value.length === 1 ? makeListFeature(readFeature(value[0])) : readStructFeature(value)
  if (!isObject(value)) return undefined
  return typeof value['_type'] === 'string'
    ? ofJson(value['_type'], value)
    : (ofCard(value) ?? readStructFeature(value))
}

/** `{_type: …}`. */
function ofJson(type: string, value: Readonly<Record<string, unknown>>): Feature | undefined {
  switch (type) {
    case 'Image':
    case 'Audio':
    case 'Video':
    case 'Pdf':
      return { type: type.toLowerCase() as MediaKind }
    case 'ClassLabel':
      return { type: 'class', names: readClassNames(value['names']) }
    case 'Value':
      return typeof value['dtype'] === 'string' ? { type: 'value', dtype: value['dtype'] } : undefined
    case 'Sequence':
    case 'List':
    case 'LargeList':
      return makeSequenceFeature(readFeature(value['feature']))
    default:
      return undefined
  }
}

/** `{dtype: …}`, `{sequence: …}`, `{list: …}`, `{struct: …}` of a card. */
function ofCard(value: Readonly<Record<string, unknown>>): Feature | undefined {
  const { dtype, sequence, list, struct } = value
  if (sequence !== undefined) return makeSequenceFeature(readFeature(sequence))
  if (list !== undefined) return makeListFeature(readFeature(list))
  if (struct !== undefined) return readStructFeature(struct)
  if (typeof dtype === 'string') return ofName(dtype)
  if (isObject(dtype) && isObject(dtype['class_label']))
    return { type: 'class', names: readClassNames(dtype['class_label']['names']) }
  return undefined
}

function ofName(name: string): Feature {
  if (isMediaKind(name)) return { type: name }
  return { type: 'value', dtype: name }
}

const makeListFeature = (of: Feature | undefined): Feature | undefined => of && { type: 'list', of }

/** A sequence of fields is stored as fields of sequences. */
function makeSequenceFeature(of: Feature | undefined): Feature | undefined {
  if (of?.type !== 'struct') return makeListFeature(of)
  const fields = Object.entries(of.fields).map(([name, field]) => [name, { type: 'list', of: field }] as const)
  return { type: 'struct', fields: Object.fromEntries(fields) }
}

function readStructFeature(value: unknown): Feature | undefined {
  const fields = readFeatures(value)
  return fields && Object.keys(fields).length > 0 ? { type: 'struct', fields } : undefined
}

/** Names in a list, or by index as in a card. */
function readClassNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String)
  if (!isObject(value)) return []
  return Object.entries(value)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, name]) => String(name))
}

/** Returns whether a type contains media. */
export function holdsMedia(feature: Feature): boolean {
  switch (feature.type) {
    case 'list':
      return holdsMedia(feature.of)
    case 'struct':
      return Object.values(feature.fields).some(holdsMedia)
    default:
      return isMediaKind(feature.type)
  }
}

/**
 * Decodes a value by its feature: media to `{bytes, path}`, a class to its index, numbers and truth values from the
 * texts of CSV.
 *
 * @param locate for messages
 * @throws PipelineError if the value does not fit
 */
function decodeValue(value: unknown, feature: Feature, locate: () => string): unknown {
  if (value === null || value === undefined) return null
  switch (feature.type) {
    case 'list':
      return Array.isArray(value) ? value.map(item => decodeValue(item, feature.of, locate)) : value
    case 'struct':
      return isObject(value) ? decodedRow(value, feature.fields, locate) : value
    case 'class':
      return typeof value === 'string' ? classIndex(value, feature.names, locate) : value
    case 'value':
      if (typeof value === 'number') return feature.dtype === 'float32' ? Math.fround(value) : value
      return typeof value === 'string' ? decodedText(value, feature.dtype, locate) : value
    default:
      return decodedMedium(value)
  }
}

/** Decodes the fields of a row that have features; others stay unchanged. */
export function decodedRow(
  row: Readonly<Record<string, unknown>>,
  features: Features,
  locate: () => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const feature = ownValue(features, name)
      return [name, feature === undefined ? value : decodeValue(value, feature, () => `${locate()}, column "${name}"`)]
    }),
  )
}

function decodedMedium(value: unknown): unknown {
  if (typeof value === 'string') return { bytes: null, path: value }
  if (value instanceof Uint8Array) return { bytes: value, path: null }
  return value
}

function classIndex(value: string, names: readonly string[], locate: () => string): number {
  const index = names.indexOf(value)
  if (index >= 0) return index
  if (/^\d+$/.test(value) && Number(value) < names.length) return Number(value)
  throw new PipelineError('dataset', `${locate()}: "${value}" is none of the classes ${names.join(', ')}`)
}

/** Decodes a text of CSV, which has no other type. */
function decodedText(value: string, dtype: string, locate: () => string): unknown {
  if (/^u?int\d+$/.test(dtype) || /^float\d+$/.test(dtype)) {
    if (value === '') return null
    const number = Number(value)
    if (dtype === 'float32' && !Number.isNaN(number)) return Math.fround(number)
    if (!Number.isNaN(number) && (dtype.startsWith('float') || Number.isSafeInteger(number))) return number
    throw new PipelineError('dataset', `${locate()}: "${value}" is no ${dtype}`)
  }
  if (dtype === 'bool') {
    if (/^true$/i.test(value)) return true
    if (/^false$/i.test(value)) return false
    if (value === '') return null
    throw new PipelineError('dataset', `${locate()}: "${value}" is neither true nor false`)
  }
  return value
}
