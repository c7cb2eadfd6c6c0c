import { isFolder } from '../../../../base/files/path-kinds.js'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { systemCode } from '../../../../base/errors/errors.js'
import { fileTrouble } from '../../../../base/files/files.js'
import { ownValue } from '../../../../base/values/named-values.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { isSavedDataset, newestManifest, savedDataset } from '../arrow/saved-dataset.js'
import type { Features } from '../columns/features.js'
import type { DatasetKwargs } from '../dataset-kwargs.js'
import { DatasetProblem } from '../dataset.js'
import { chooseFiles } from '../layout/choose-files.js'
import { commonKind, type FileKind, fileKind, isMediaKind } from '../layout/file-kinds.js'
import { globPaths, isPattern } from '../layout/file-patterns.js'
import { noCard, readCard } from '../layout/repository-card.js'
import type { MediaSources } from '../media/media-files.js'
import { AddressError, isAddress, shownAddress } from './addresses.js'
import { fromRepository } from './repository-path.js'

/** One data file of a split. */
export interface DataPart {
  /** The name relative to the dataset, with `/`. */
  readonly name: string
  /** Returns its path, downloaded if necessary. */
  place(): Promise<string>
}

/** The files of a task's split, found but not read. */
export interface LocatedDataset {
  /** The kind of the files; `undefined` if each file's name tells its kind. */
  readonly kind?: FileKind
  readonly parts: readonly DataPart[]
  /** Names of the files of all splits, for a folder of media. */
  readonly every: readonly string[]
  /** The dataset's name in the run's identity. */
  readonly path: string
  readonly config?: string
  /** The commit of a Hub repository, which identifies all files. */
  readonly revision?: string
  readonly features?: Features
  /** Options for reading files that a card states, as in `dataset_kwargs`. */
  readonly options?: Readonly<Record<string, unknown>>
  readonly media: MediaSources
}

/** The data that the locators look for. */
export interface Sought {
  readonly path: string
  readonly config?: string
  readonly split: string
  readonly kwargs: DatasetKwargs
  /** The folder that a relative `path` begins at. */
  readonly folder: string
  /** The folder that relative paths in `kwargs` begin at, if `path` names no folder. */
  readonly kwargsFolder: string
  /** Downloads the file at an address. */
  readonly fetchAddress?: (address: string) => Promise<string>
}

export type Local = Omit<LocatedDataset, 'media' | 'path'> & { readonly root: string }

/** Builder names as `dataset_path` of upstream tasks. `data_files` or `data_dir` then names the files. */
const builders: Readonly<Record<string, FileKind>> = {
  json: 'json',
  csv: 'csv',
  parquet: 'parquet',
  arrow: 'arrow',
  text: 'text',
  imagefolder: 'image',
  audiofolder: 'audio',
  videofolder: 'video',
  pdffolder: 'pdf',
}

/** Returns whether `data_files` or `data_dir` name the files. */
export const isBuilder = (path: string): boolean => ownValue(builders, path) !== undefined

/**
 * Finds the files of a local dataset.
 *
 * @returns undefined if no such file or folder exists
 * @throws DatasetProblem if the folder lacks the requested split, configuration or files
 */
export async function locateLocal(sought: Sought): Promise<Local | undefined> {
  const { path, kwargs, folder } = sought
  const builder = builders[path]
  if (builder !== undefined && (kwargs.dataFiles !== undefined || kwargs.data_dir !== undefined))
    return locateByBuilder(sought, builder)
  const localPath = isAbsolute(path) ? path : join(folder, path)
  const stats = await stat(localPath).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined
    const why = fileTrouble(error)
    throw why === undefined ? error : new DatasetProblem('dataset_path', `${path}: ${why}`, { cause: error })
  })
  if (stats === undefined) return undefined
  if (!stats.isDirectory()) return { root: dirname(localPath), every: [], parts: [part(localPath, dirname(localPath))] }
  const manifest = await newestManifest(localPath)
  if (manifest !== undefined)
    return {
      root: dirname(localPath),
      every: [],
      parts: [{ name: basename(localPath), place: () => Promise.resolve(manifest) }],
    }
  if (kwargs.loadFromDisk || (await isSavedDataset(localPath))) return locateSavedDataset(localPath, sought)
  return kwargs.dataFiles === undefined ? inFolder(localPath, sought) : locateDataFiles(localPath, sought)
}

const part = (file: string, root: string): DataPart => ({
  name: relative(root, file).split('\\').join('/'),
  place: () => Promise.resolve(file),
})

/** The name of the file at an address. A name in an escape that is no text is not decoded, and a malformed address fails where it is read. */
function fileName(address: string): string {
  const name = basename(URL.canParse(address) ? new URL(address).pathname : address)
  try {
    return decodeURIComponent(name)
  } catch (error) {
    if (error instanceof URIError) return name
    throw error
  }
}

function partAt(address: string, fetchAddress: Sought['fetchAddress']): DataPart {
  const name = fileName(address)
  return {
    name,
    async place() {
      if (fetchAddress === undefined)
        throw new DatasetProblem(
          'dataset_kwargs',
          `${shownAddress(address)} can't be brought here: there is no folder for it`,
        )
      try {
        return await fetchAddress(address)
      } catch (error) {
        if (!(error instanceof AddressError)) throw error
        throw new DatasetProblem('dataset_kwargs', error.message, { cause: error })
      }
    },
  }
}

/** Handles `dataset_path: json` and similar builders. */
async function locateByBuilder(sought: Sought, kind: FileKind): Promise<Local> {
  const { kwargs, kwargsFolder: folder } = sought
  const root = kwargs.data_dir === undefined ? folder : resolve(folder, kwargs.data_dir)
  if (kwargs.dataFiles === undefined)
    return { ...(await inFolder(root, { ...sought, kwargs: { ...kwargs, data_dir: undefined } })), kind }
  return { ...(await locateDataFiles(root, sought)), kind }
}

/** Finds the files that `data_files` names. */
async function locateDataFiles(root: string, { split, kwargs: { dataFiles }, fetchAddress }: Sought): Promise<Local> {
  const patterns = dataFiles?.all ?? dataFiles?.bySplit?.get(split)
  if (patterns === undefined) {
    const splits = [...(dataFiles?.bySplit?.keys() ?? [])].join(', ')
    throw new DatasetProblem(
      'split',
      `dataset_kwargs.data_files has no files of the split "${split}" (it has ${splits})`,
    )
  }
  const filesOfPatterns = await Promise.all(
    patterns.map(async pattern => {
      if (isAddress(pattern)) return [pattern]
      const files = await localFiles(fromRepository(pattern, root), root)
      if (files.length === 0)
        throw new DatasetProblem('dataset_kwargs', `no file matches ${pattern} below ${shownPath(root)}`)
      return files
    }),
  )
  const files = [...new Set(filesOfPatterns.flat())]
  const parts = files.map(file => (isAddress(file) ? partAt(file, fetchAddress) : part(file, root)))
  const kind = commonKind(parts.map(({ name }) => name))
  return {
    root,
    parts,
    every: parts.map(({ name }) => name),
    ...(isMediaKind(kind) ? { kind } : {}),
  }
}

async function locateSavedDataset(folder: string, { split }: Sought): Promise<Local> {
  const { files, features } = await savedDataset(folder, split)
  return {
    root: folder,
    kind: 'arrow',
    every: [],
    parts: files.map(file => part(file, folder)),
    ...(features && { features }),
  }
}

async function inFolder(folder: string, { path, config, split, kwargs }: Sought): Promise<Local> {
  const card = await cardIn(folder)
  const wanted = {
    split,
    isOwnFolder: true,
    ...(config === undefined ? {} : { config }),
    ...(kwargs.data_dir === undefined ? {} : { folder: kwargs.data_dir }),
  }
  const isPlain = card.configs.length === 0 && config === undefined && kwargs.data_dir === undefined
  const paths = (isPlain ? await topFiles(folder, split) : undefined) ?? (await pathsBelow(folder))
  const { kind, paths: chosen, ...rest } = chooseFiles({ name: path, paths, card }, wanted)
  return { ...rest, kind, root: folder, parts: chosen.map(name => part(join(folder, name), folder)) }
}

const cardIn = async (folder: string): Promise<typeof noCard> => {
  try {
    return readCard(await readFile(join(folder, 'README.md'), 'utf8'))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return noCard
    throw error
  }
}

/** Finds tables named like the split, without listing subfolders, which may hold a million images. */
async function topFiles(localPath: string, split: string): Promise<readonly string[] | undefined> {
  for (const folder of ['', 'data']) {
    const names = await readdir(join(localPath, folder)).catch((error: unknown) => {
      // Most datasets lack one of the folders. A folder that cannot be read is another problem.
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return []
      throw error
    })
    const own = names.filter(name => {
      const kind = fileKind(name)
      return (
        name.startsWith(split) && /^[-.]/.test(name.slice(split.length)) && kind !== undefined && !isMediaKind(kind)
      )
    })
    if (own.length > 0) return own.map(name => (folder === '' ? name : `${folder}/${name}`))
  }
  return undefined
}

/** Names data files in the identity: by their base names where these are unique, else by their paths. */
export function identityNames(parts: readonly DataPart[]): readonly string[] {
  const short = parts.map(({ name }) => basename(name))
  return new Set(short).size === short.length ? short : parts.map(({ name }) => name)
}

/** Folders that are never part of a dataset. */
const passedOver = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

/** Deeper than any dataset, so that circular links end. */
const deepest = 24

/** Lists all files below a folder, relative to it, with `/`. */
export async function pathsBelow(folder: string, depth = 0): Promise<readonly string[]> {
  if (depth > deepest) return []
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  })
  const paths: string[] = []
  for (const entry of entries) {
    if (passedOver(entry.name)) continue
    const path = join(folder, entry.name)
    const isSearched = entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(path)))
    // Pushed one by one: a call accepts only some hundred thousand arguments.
    if (isSearched) for (const name of await pathsBelow(path, depth + 1)) paths.push(`${entry.name}/${name}`)
    else paths.push(entry.name)
  }
  return paths
}

/**
 * Finds the files of a path or pattern, absolute and sorted. A path is returned unchanged, whether it exists or not.
 */
async function localFiles(pattern: string, folder: string): Promise<readonly string[]> {
  const absolute = isAbsolute(pattern) ? pattern : join(folder, pattern)
  if (!isPattern(pattern)) return [absolute]
  const names = absolute.split(sep)
  const plain = names.slice(0, names.findIndex(isPattern)).join(sep)
  const base = plain === '' ? sep : plain
  return globPaths(relative(base, absolute).split(sep).join('/'), await pathsBelow(base)).map(path => join(base, path))
}
