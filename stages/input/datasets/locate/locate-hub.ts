import { posix } from 'node:path'
import type { DataAccess, HubSnapshot } from '../hub/hub.js'
import { chooseFiles, type ChosenFiles } from '../layout/choose-files.js'
import { DatasetProblem } from '../dataset.js'
import { commonKind, filesOfKind } from '../layout/file-kinds.js'
import { noCard, readCard, type RepositoryCard } from '../layout/repository-card.js'
import { listMatchingFiles } from '../layout/file-patterns.js'
import type { LocatedDataset, Sought } from './locate-local.js'

export type InRepository = Omit<LocatedDataset, 'media'> & { readonly snapshot: HubSnapshot }

/**
 * Returns whether a path is a repository: `org/name`, or a single name as the first repositories have. A name with the
 * ending of a data file is a missing file.
 */
export const isRepository = (path: string): boolean =>
  /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/.test(path) &&
  !/\.(parquet|jsonl?|ndjson|csv|tsv|arrow|txt|gz|zst)$/i.test(path)

/**
 * Finds the files of a split of a Hub repository as `load_dataset` does, or else the Hub's Parquet conversion.
 *
 * @throws DatasetProblem if repository, configuration or split do not exist.
 */
export async function locateOnHub(sought: Sought, access: DataAccess, task: string): Promise<InRepository> {
  const { path: repo, kwargs } = sought
  const snapshot = await access.hub.snapshot(repo, access.pinned.get(task) ?? kwargs.revision)
  const card = await fetchCard(snapshot)
  try {
    return makeInRepository(snapshot, filesIn(snapshot, card, sought))
  } catch (error) {
    if (!(error instanceof DatasetProblem) || error.key !== 'dataset_path' || kwargs.dataFiles !== undefined)
      throw error
    const converted = await access.hub.converted(repo)
    if (converted === undefined) throw error
    return { ...makeInRepository(converted, convertedFiles(converted, card, sought)), revision: snapshot.commit }
  }
}

/**
 * Finds the files of `hf://datasets/org/name@revision/pattern`.
 * @returns undefined where `data_files` names none of that form
 */
export async function locateByAddress(
  sought: Sought,
  access: DataAccess,
  task: string,
): Promise<InRepository | undefined> {
  const { dataFiles } = sought.kwargs
  const files = dataFiles?.all ?? dataFiles?.bySplit?.get(sought.split) ?? []
  const addresses = files.map(parseHubAddress)
  const [first] = addresses
  if (first === undefined) return undefined
  const mismatchIndex = addresses.findIndex(
    hubAddress => hubAddress?.repo !== first.repo || hubAddress.revision !== first.revision,
  )
  if (mismatchIndex >= 0)
    throw new DatasetProblem(
      'dataset_kwargs',
      `dataset_kwargs.data_files: ${files[mismatchIndex] ?? ''} is not of ${first.repo} like the one before it`,
    )
  const snapshot = await access.hub.snapshot(first.repo, access.pinned.get(task) ?? first.revision)
  const patterns = addresses.flatMap(hubAddress => hubAddress?.pattern ?? [])
  return makeInRepository(snapshot, ofPatterns(snapshot, patterns))
}

const address =
  /^(?:hf:\/\/|https:\/\/huggingface\.co\/)datasets\/([^/@]+\/[^/@]+)(?:@([^/]+)|\/(?:resolve|blob)\/([^/]+))?\/(.+)$/

function parseHubAddress(
  text: string,
): { readonly repo: string; readonly revision?: string; readonly pattern: string } | undefined {
  const [, repo, at, resolved, pattern] = address.exec(text) ?? []
  if (repo === undefined || pattern === undefined) return undefined
  const revision = at ?? resolved
  return { repo, pattern, ...(revision === undefined ? {} : { revision: decodeURIComponent(revision) }) }
}

async function fetchCard(snapshot: HubSnapshot): Promise<RepositoryCard> {
  const text = await snapshot.text('README.md')
  return text === undefined ? noCard : readCard(text)
}

function makeInRepository(snapshot: HubSnapshot, chosen: ChosenFiles): InRepository {
  const { paths, kind, every, config, features, options } = chosen
  return {
    snapshot,
    kind,
    every,
    parts: paths.map(name => ({ name, place: () => snapshot.file(name) })),
    path: snapshot.repo,
    revision: snapshot.commit,
    ...(config === undefined ? {} : { config }),
    ...(features === undefined ? {} : { features }),
    ...(options === undefined ? {} : { options }),
  }
}

function filesIn({ repo, paths }: HubSnapshot, card: RepositoryCard, sought: Sought): ChosenFiles {
  const { split, config, kwargs } = sought
  if (kwargs.dataFiles !== undefined) {
    const patterns = kwargs.dataFiles.all ?? kwargs.dataFiles.bySplit?.get(split)
    if (patterns === undefined)
      throw new DatasetProblem('split', `dataset_kwargs.data_files has no files of the split "${split}"`)
    const folder = kwargs.data_dir
    const placed = folder === undefined ? patterns : patterns.map(pattern => posix.join(folder, pattern))
    return ofPatterns({ repo, paths }, placed)
  }
  return chooseFiles(
    { name: repo, paths, card },
    {
      split,
      isOwnFolder: false,
      ...(config === undefined ? {} : { config }),
      ...(kwargs.data_dir === undefined ? {} : { folder: kwargs.data_dir }),
    },
  )
}

function ofPatterns({ repo, paths }: Pick<HubSnapshot, 'repo' | 'paths'>, patterns: readonly string[]): ChosenFiles {
  for (const pattern of patterns)
    if (listMatchingFiles([pattern], paths).length === 0)
      throw new DatasetProblem('dataset_kwargs', `${repo} has no file ${pattern}`)
  const files = listMatchingFiles(patterns, paths)
  const kind = commonKind(files)
  if (kind === undefined) throw new DatasetProblem('dataset_kwargs', `${repo}: ${files[0] ?? ''} is of no known format`)
  return { kind, paths: filesOfKind(files, kind), every: files }
}

/** The Hub's converted files are `<configuration>/<split>/0000.parquet`. */
function convertedFiles({ repo, paths }: HubSnapshot, card: RepositoryCard, { split, config }: Sought): ChosenFiles {
  const configs = [...new Set(paths.filter(path => path.endsWith('.parquet')).map(path => path.split('/')[0] ?? ''))]
  const own = config ?? (configs.length === 1 ? configs[0] : configs.find(name => name === 'default'))
  if (own === undefined || !configs.includes(own)) {
    const which =
      config === undefined ? 'has several configurations, so one must be named' : `has no configuration "${config}"`
    throw new DatasetProblem('dataset_name', `${repo} ${which}: ${configs.join(', ')}`)
  }
  return chooseFiles({ name: repo, paths, card: { ...card, configs: [] } }, { split, config: own, isOwnFolder: false })
}
