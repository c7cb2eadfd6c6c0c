import { didYouMean } from '../../../../base/text/suggest.js'
import type { Features } from '../columns/features.js'
import { DatasetProblem } from '../dataset.js'
import { commonKind, fileKind, filesOfKind, isArchive, type FileKind } from './file-kinds.js'
import type { CardConfig, RepositoryCard } from './repository-card.js'
import { automaticSplits, listMatchingFiles } from './file-patterns.js'

/** The files of a dataset, local or on the Hub. */
export interface Repository {
  /** Its name in messages. */
  readonly name: string
  /** Paths of all files, relative to it, with `/`. */
  readonly paths: readonly string[]
  readonly card: RepositoryCard
}

export interface SplitRequest {
  readonly split: string
  /** `dataset_name`. */
  readonly config?: string
  /** `data_dir`. */
  readonly folder?: string
  /** True if `<split>.…` at the top level is the split, whatever else exists. */
  readonly isOwnFolder: boolean
}

/** The files of one split, in order. */
export interface ChosenFiles {
  readonly kind: FileKind
  readonly paths: readonly string[]
  /** Files of all splits. */
  readonly every: readonly string[]
  /** The configuration of the files, if there are several or the task names one. */
  readonly config?: string
  readonly features?: Features
  /** Options for reading the files that the card states. */
  readonly options?: Readonly<Record<string, unknown>>
}

/**
 * Finds the files of a split as `load_dataset` does: by the configurations of the card, else by file names.
 *
 * @throws DatasetProblem if the requested configuration or split is missing. It lists the existing ones
 */
export function chooseFiles(repository: Repository, wanted: SplitRequest): ChosenFiles {
  const config = wanted.folder === undefined ? chooseConfig(repository, wanted.config) : undefined
  const splits = splitsOfConfig(repository, wanted, config)
  const paths = splits.get(wanted.split)
  if (paths === undefined) throw noSplit(repository, wanted, [...splits.keys()])
  const name = config?.name ?? wanted.config
  const features = repository.card.features.get(name ?? 'default')
  return {
    ...ofOneKind(repository, paths),
    every: [...splits.values()].flat(),
    ...(name === undefined ? {} : { config: name }),
    ...(features === undefined ? {} : { features }),
    ...(config === undefined ? {} : { options: config.options }),
  }
}

function chooseConfig({ name, card }: Repository, wanted: string | undefined): CardConfig | undefined {
  const { configs } = card
  if (configs.length === 0) return undefined
  const names = configs.map(config => config.name)
  if (wanted !== undefined) {
    const match = configs.find(config => config.name === wanted)
    if (match !== undefined) return match
    throw new DatasetProblem(
      'dataset_name',
      `${name} has no configuration "${wanted}".${didYouMean(wanted, names)} It has ${names.join(', ')}`,
    )
  }
  const byItself =
    configs.length === 1 ? configs[0] : configs.find(config => config.isDefault || config.name === 'default')
  if (byItself !== undefined) return byItself
  throw new DatasetProblem(
    'dataset_name',
    `${name} has several configurations, so one must be named: ${names.join(', ')}`,
  )
}

function splitsOfConfig(
  repository: Repository,
  wanted: SplitRequest,
  config: CardConfig | undefined,
): ReadonlyMap<string, readonly string[]> {
  const folder = config?.folder ?? wanted.folder
  const inside = folder === undefined ? folderOfConfig(repository, wanted, config) : normalizeFolder(folder)
  const dataPaths = repository.paths.filter(path => fileKind(path) !== undefined || isArchive(path))
  const paths = below(dataPaths, inside)
  const back = (files: readonly string[]): readonly string[] => files.map(path => `${inside}${path}`)
  if (config?.files !== undefined) {
    const splitEntries = [...config.files].map(
      ([split, patterns]) => [split, back(listMatchingFiles(patterns, paths))] as const,
    )
    return new Map(splitEntries.filter(([, files]) => files.length > 0))
  }
  const automatic = new Map([...automaticSplits(paths)].map(([split, files]) => [split, back(files)]))
  const exact = back(exactlyNamed(paths, wanted.split))
  if (exact.length > 0 && (wanted.isOwnFolder || !automatic.has(wanted.split))) automatic.set(wanted.split, exact)
  return automatic
}

/** Finds the folder of a configuration that no card describes. */
function folderOfConfig(
  { name, paths }: Repository,
  { config, isOwnFolder }: SplitRequest,
  listed: CardConfig | undefined,
): string {
  if (listed !== undefined || config === undefined || config === 'default') return ''
  for (const folder of [`${config}/`, `data/${config}/`]) if (paths.some(path => path.startsWith(folder))) return folder
  // A local copy of a repository may lack its configurations.
  if (isOwnFolder) return ''
  const folders = [...new Set(paths.flatMap(path => /^(?:data\/)?([^/.][^/]*)\//.exec(path)?.[1] ?? []))]
  const has = folders.length === 0 ? 'it has no configurations' : `it has folders ${folders.join(', ')}`
  throw new DatasetProblem(
    'dataset_name',
    `${name} has no configuration "${config}" (${has}).${didYouMean(config, folders)}`,
  )
}

const normalizeFolder = (folder: string): string => {
  const name = folder.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '')
  return name === '' || name === '.' ? '' : `${name}/`
}

const below = (paths: readonly string[], folder: string): readonly string[] =>
  folder === '' ? paths : paths.filter(path => path.startsWith(folder)).map(path => path.slice(folder.length))

/**
 * Finds `<split>.parquet`, `<split>-00000-of-00002.parquet`, also in `data/`, or all files of a folder with the
 * split's name.
 */
function exactlyNamed(paths: readonly string[], split: string): readonly string[] {
  for (const folder of ['', 'data/']) {
    const matchingPaths = paths.filter(path => {
      if (!path.startsWith(`${folder}${split}`) || path.slice(folder.length).includes('/')) return false
      return /^[-.]/.test(path.slice(folder.length + split.length)) && fileKind(path) !== undefined
    })
    if (matchingPaths.length > 0) return [...matchingPaths].sort()
    const inside = paths.filter(path => path.startsWith(`${folder}${split}/`) && fileKind(path) !== undefined)
    if (inside.length > 0) return [...inside].sort()
  }
  return []
}

function noSplit({ name }: Repository, { split, config }: SplitRequest, splits: readonly string[]): DatasetProblem {
  const whole = config === undefined ? name : `${name} (${config})`
  if (splits.length === 0)
    return new DatasetProblem(
      'dataset_path',
      `${whole} has no data files that can be read, of the split "${split}" or any other`,
    )
  return new DatasetProblem(
    'split',
    `no file of the split "${split}" in ${whole} (it has ${splits.join(', ')}).${didYouMean(split, splits)}`,
  )
}

function ofOneKind({ name }: Repository, paths: readonly string[]): Pick<ChosenFiles, 'kind' | 'paths'> {
  const kind = commonKind(paths)
  if (kind !== undefined) return { kind, paths: filesOfKind(paths, kind) }
  const archive = paths.find(isArchive)
  throw new DatasetProblem(
    'dataset_path',
    archive === undefined
      ? `${name}: its files are of no known format (such as ${paths[0] ?? ''})`
      : `${name}: its rows are within archives (${archive}), which are not read; name a file of rows with dataset_kwargs.data_files`,
  )
}
