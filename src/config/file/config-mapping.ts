/** Mappings of configuration keys from several sources, laid over each other. */
import { isObject } from '../../../base/values/canonical-json.js'
import { emptyTable, ownValue } from '../../../base/values/named-values.js'
import { parseArguments } from '../argument-string.js'
import type { YamlMapping } from './yaml-mapping.js'

export type Path = readonly PropertyKey[]
export type Values = Readonly<Record<string, unknown>>

/** Keys of a configuration, with the positions of their values in files. */
export interface ConfigMapping extends YamlMapping {
  /** Returns the folder that a relative path at this key is relative to. */
  folderOf(path: Path): string
}

/** Makes a mapping from the values of a file in `folder`. */
export const inFolder = (mapping: YamlMapping, folder: string): ConfigMapping => ({
  ...mapping,
  folderOf: () => folder,
})

/**
 * Makes the mapping of a run whose keys are nested in another mapping, such as a model of an experiment.
 *
 * @param toPath converts a path in `value` to a path in the mapping
 */
export const makeInnerMapping = (
  mapping: ConfigMapping,
  value: Values,
  toPath: (path: Path) => Path,
): ConfigMapping => ({
  value,
  placeOf: path => mapping.placeOf(toPath(path)),
  placeOfKey: key => mapping.placeOf(toPath([key])),
  folderOf: path => mapping.folderOf(toPath(path)),
})

/** A configuration without keys. */
export const emptyMapping: ConfigMapping = {
  value: {},
  placeOf: () => '',
  placeOfKey: () => '',
  folderOf: () => '',
}

export const isMapping = (value: unknown): value is Values => isObject(value)

/**
 * Merges mappings. Later ones win. Mappings are merged key by key at any depth, other values are replaced. Each value keeps the file position of its
 * source.
 *
 * @param main the mapping that provides the position of the whole
 */
export function mergeMappings(layers: readonly ConfigMapping[], main: ConfigMapping): ConfigMapping {
  const normalized = layers.map(normalizeKeys)
  const findOrigin = (path: Path): ConfigMapping => {
    for (let length = path.length; length > 0; length--) {
      const origin = normalized.findLast(({ value }) => hasPath(value, path.slice(0, length)))
      if (origin !== undefined) return origin
    }
    return main
  }
  return {
    value: normalized.reduce<Values>((below, { value }) => mergeValues(below, value), {}),
    placeOf: path => findOrigin(path).placeOf(path),
    placeOfKey: key => findOrigin([key]).placeOfKey(key),
    folderOf: path => findOrigin(path).folderOf(path),
  }
}

/** Spells keys with underscores, so that both spellings are merged. */
function normalizeKeys(mapping: ConfigMapping): ConfigMapping {
  const spelled = new Map(Object.keys(mapping.value).map(key => [key.replaceAll('-', '_'), key]))
  const toOwn = ([key, ...inner]: Path): Path => (key === undefined ? [] : [spelled.get(String(key)) ?? key, ...inner])
  const value = emptyTable<unknown>()
  for (const [name, key] of spelled) value[name] = mapping.value[key]
  return {
    value,
    placeOf: path => mapping.placeOf(toOwn(path)),
    placeOfKey: key => mapping.placeOfKey(spelled.get(key) ?? key),
    folderOf: path => mapping.folderOf(toOwn(path)),
  }
}

function hasPath(value: unknown, [key, ...inner]: Path): boolean {
  if (key === undefined) return true
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
  return hasPath(readArguments(String(key), (value as Readonly<Record<PropertyKey, unknown>>)[key]), inner)
}

function mergeValues(below: Values, above: Values): Values {
  const merged: Record<string, unknown> = Object.assign(emptyTable(), below)
  for (const [key, added] of Object.entries(above)) {
    const before = readArguments(key, ownValue(merged, key))
    const value = before === undefined || before === null ? added : readArguments(key, added)
    merged[key] = isMapping(before) && isMapping(value) ? mergeValues(before, value) : added
  }
  return merged
}

const argumentKeys: readonly string[] = ['model_args', 'judge_args', 'gen_kwargs']

/** Parses arguments in the form of a text, such as `a=1,b=x`, so that they can be merged as a mapping. */
const readArguments = (key: string, value: unknown): unknown =>
  typeof value === 'string' && argumentKeys.includes(key) ? parseArguments([value], key) : value
