import { parseDocument } from 'yaml'
import { messageOf } from '../../../../base/errors/errors.js'
import { isObject } from '../../../../base/values/canonical-json.js'
import { refuseDepth, withinDepth, yamlValues } from '../../../../base/values/yaml-values.js'
import { type Features, readFeatures } from '../columns/features.js'
import { DatasetProblem } from '../dataset.js'

/** One configuration that a repository's card lists. */
export interface CardConfig {
  readonly name: string
  readonly isDefault: boolean
  /** Patterns by split, relative to `folder`; where it is absent, files are found by their names. */
  readonly files?: SplitFiles
  /** `data_dir`: the folder of the files. */
  readonly folder?: string
  /** Its other options, such as `sep` of CSV files. */
  readonly options: Readonly<Record<string, unknown>>
}

/** The facts about a repository's files in the front matter of its `README.md`. */
export interface RepositoryCard {
  readonly configs: readonly CardConfig[]
  /** By the name of the configuration. */
  readonly features: ReadonlyMap<string, Features>
}

export const noCard: RepositoryCard = { configs: [], features: new Map() }

/**
 * @throws DatasetProblem where the front matter cannot be read, since it may name other files than would be found
 * without it.
 */
export function readCard(markdown: string): RepositoryCard {
  const text = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(markdown)?.[1]
  if (text === undefined) return noCard
  const { configs, dataset_info: infos } = frontMatter(text)
  return {
    configs: collectObjects(configs).map(readConfig),
    features: new Map(
      collectObjects(infos).flatMap(info => {
        const features = readFeatures(info['features'])
        return features === undefined ? [] : [[readText(info['config_name']) ?? 'default', features] as const]
      }),
    ),
  }
}

function frontMatter(text: string): Readonly<Record<string, unknown>> {
  try {
    const document = withinDepth(text, () => parseDocument(text, { logLevel: 'silent', uniqueKeys: false }))
    refuseDepth(document, text)
    const [error] = document.errors
    if (error !== undefined) throw error
    const value = yamlValues(document, text)
    return isObject(value) ? value : {}
  } catch (error) {
    throw new DatasetProblem('dataset_path', `README.md: ${messageOf(error)}`, { cause: error })
  }
}

function readConfig(value: Readonly<Record<string, unknown>>): CardConfig {
  const { config_name: called, data_files: dataFiles, data_dir: place, default: isDefault, ...options } = value
  const name = readText(called)
  const files = dataFiles === undefined || dataFiles === null ? undefined : readSplitFiles(dataFiles)
  if (name === undefined || (dataFiles !== undefined && dataFiles !== null && files === undefined))
    throw new DatasetProblem(
      'dataset_path',
      `README.md: a configuration${name === undefined ? '' : ` "${name}"`} that can't be read`,
    )
  const folder = readText(place)
  return {
    name,
    isDefault: isDefault === true,
    options,
    // Files without a split belong to train.
    ...(files === undefined ? {} : { files: files.bySplit ?? new Map([['train', files.all ?? []]]) }),
    ...(folder === undefined ? {} : { folder }),
  }
}

/** Accepts one or several. */
const collectObjects = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  (Array.isArray(value) ? (value as readonly unknown[]) : [value]).filter(isObject)

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

/** Patterns of files by split. */
type SplitFiles = ReadonlyMap<string, readonly string[]>

/**
 * `data_files` as people write it: a pattern, a list of patterns, either of these by split, or a list of `{split,
 * path}`. Patterns without a split are in `all`.
 */
export interface ReadSplitFiles {
  readonly bySplit?: SplitFiles
  readonly all?: readonly string[]
}

/**
 * Reads a value of `data_files`.
 * @returns undefined where it has another form.
 */
export function readSplitFiles(value: unknown): ReadSplitFiles | undefined {
  const list = readTexts(value)
  if (list !== undefined) return { all: list }
  const entries = Array.isArray(value) ? value.map(readSplitEntry) : isObject(value) ? Object.entries(value) : []
  const bySplit = new Map<string, readonly string[]>()
  for (const entry of entries) {
    const files = readTexts(entry?.[1])
    if (entry === undefined || files === undefined) return undefined
    bySplit.set(entry[0], files)
  }
  return bySplit.size === 0 ? undefined : { bySplit }
}

function readTexts(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = list.filter(item => typeof item === 'string')
  return texts.length > 0 && texts.length === list.length ? texts : undefined
}

function readSplitEntry(value: unknown): readonly [string, unknown] | undefined {
  if (!isObject(value) || typeof value['split'] !== 'string') return undefined
  return [value['split'], value['path']]
}
