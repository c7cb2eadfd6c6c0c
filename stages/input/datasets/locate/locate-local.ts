import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { systemCode } from '../../../../base/errors.js'
import { fileTrouble } from '../../../../base/files.js'
import { ownValue } from '../../../../base/named-values.js'
import { shownPath } from '../../../../base/shown-path.js'
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

/** One data file of a split. */
export interface DataPart {
  /** Relative to the dataset, with `/`. */
  readonly name: string
  /** Where it lies, downloaded if need be. */
  place(): Promise<string>
}

/** Where the rows of a task's split are, found but not read. */
export interface LocatedDataset {
  /** `undefined`: each file says by its name what it is. */
  readonly kind?: FileKind
  readonly parts: readonly DataPart[]
  /** Names of the files of all splits, of a folder of media. */
  readonly every: readonly string[]
  /** As the identity of a run names it. */
  readonly path: string
  readonly config?: string
  /** The commit of a Hub repository, which says what all its files are. */
  readonly revision?: string
  readonly features?: Features
  /** What a card says of how its files are read, in the words of `dataset_kwargs`. */
  readonly options?: Readonly<Record<string, unknown>>
  readonly media: MediaSources
}

/** What the locators are asked for. */
export interface Sought {
  readonly path: string
  readonly config?: string
  readonly split: string
  readonly kwargs: DatasetKwargs
  /** The folder in which a relative path begins. */
  readonly folder: string
  /** Brings the file at an address. */
  readonly fetchAddress?: (address: string) => Promise<string>
}

export type Local = Omit<LocatedDataset, 'media' | 'path'> & { readonly root: string }

/** What upstream tasks write for `dataset_path` where `data_files` or `data_dir` says where the files are. */
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

/** Whether `data_files` or `data_dir` say where the files are. */
export const isBuilder = (path: string): boolean => ownValue(builders, path) !== undefined

/**
 * The files of a dataset that lies on this machine.
 *
 * @returns undefined where there is no such file or folder
 * @throws DatasetProblem where what was asked for is not in it.
 */
export async function locateLocal(sought: Sought): Promise<Local | undefined> {
  const { path, kwargs, folder } = sought
  const builder = builders[path]
  if (builder !== undefined && (kwargs.dataFiles !== undefined || kwargs.data_dir !== undefined))
    return built(sought, builder)
  const place = isAbsolute(path) ? path : join(folder, path)
  const found = await stat(place).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined
    const why = fileTrouble(error)
    throw why === undefined ? error : new DatasetProblem('dataset_path', `${path}: ${why}`, { cause: error })
  })
  if (found === undefined) return undefined
  if (!found.isDirectory()) return { root: dirname(place), every: [], parts: [part(place, dirname(place))] }
  const manifest = await newestManifest(place)
  if (manifest !== undefined)
    return {
      root: dirname(place),
      every: [],
      parts: [{ name: basename(place), place: () => Promise.resolve(manifest) }],
    }
  if (kwargs.loadFromDisk || (await isSavedDataset(place))) return saved(place, sought)
  return kwargs.dataFiles === undefined ? inFolder(place, sought) : listed(place, sought)
}

const part = (file: string, root: string): DataPart => ({
  name: relative(root, file).split('\\').join('/'),
  place: () => Promise.resolve(file),
})

function partAt(address: string, fetchAddress: Sought['fetchAddress']): DataPart {
  const name = decodeURIComponent(basename(new URL(address).pathname))
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

/** `dataset_path: json` and its like. */
async function built(sought: Sought, kind: FileKind): Promise<Local> {
  const { kwargs, folder } = sought
  const root = kwargs.data_dir === undefined ? folder : resolve(folder, kwargs.data_dir)
  if (kwargs.dataFiles === undefined)
    return { ...(await inFolder(root, { ...sought, kwargs: { ...kwargs, data_dir: undefined } })), kind }
  return { ...(await listed(root, sought)), kind }
}

/** The files that `data_files` names. */
async function listed(root: string, { split, kwargs: { dataFiles }, fetchAddress }: Sought): Promise<Local> {
  const patterns = dataFiles?.all ?? dataFiles?.bySplit?.get(split)
  if (patterns === undefined) {
    const splits = [...(dataFiles?.bySplit?.keys() ?? [])].join(', ')
    throw new DatasetProblem(
      'split',
      `dataset_kwargs.data_files has no files of the split "${split}" (it has ${splits})`,
    )
  }
  const found = await Promise.all(
    patterns.map(async pattern => {
      if (isAddress(pattern)) return [pattern]
      const files = await localFiles(pattern, root)
      if (files.length === 0)
        throw new DatasetProblem('dataset_kwargs', `no file matches ${pattern} below ${shownPath(root)}`)
      return files
    }),
  )
  const files = [...new Set(found.flat())]
  const parts = files.map(file => (isAddress(file) ? partAt(file, fetchAddress) : part(file, root)))
  const kind = commonKind(parts.map(({ name }) => name))
  return {
    root,
    parts,
    every: parts.map(({ name }) => name),
    ...(isMediaKind(kind) ? { kind } : {}),
  }
}

async function saved(place: string, { split }: Sought): Promise<Local> {
  const { files, features } = await savedDataset(place, split)
  return {
    root: place,
    kind: 'arrow',
    every: [],
    parts: files.map(file => part(file, place)),
    ...(features && { features }),
  }
}

async function inFolder(place: string, { path, config, split, kwargs }: Sought): Promise<Local> {
  const card = await cardIn(place)
  const wanted = {
    split,
    isOwnFolder: true,
    ...(config === undefined ? {} : { config }),
    ...(kwargs.data_dir === undefined ? {} : { folder: kwargs.data_dir }),
  }
  const isPlain = card.configs.length === 0 && config === undefined && kwargs.data_dir === undefined
  const paths = (isPlain ? await topFiles(place, split) : undefined) ?? (await pathsBelow(place))
  const { kind, paths: chosen, ...rest } = chooseFiles({ name: path, paths, card }, wanted)
  return { ...rest, kind, root: place, parts: chosen.map(name => part(join(place, name), place)) }
}

const cardIn = async (place: string): Promise<typeof noCard> => {
  try {
    return readCard(await readFile(join(place, 'README.md'), 'utf8'))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return noCard
    throw error
  }
}

/** The tables that are named like the split, without a look at all that lies below: there may be a million images. */
async function topFiles(place: string, split: string): Promise<readonly string[] | undefined> {
  for (const folder of ['', 'data']) {
    const names = await readdir(join(place, folder)).catch(() => [])
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

/** The names of data files, told apart by their folders only where they must be. */
export function identityNames(parts: readonly DataPart[]): readonly string[] {
  const short = parts.map(({ name }) => basename(name))
  return new Set(short).size === short.length ? short : parts.map(({ name }) => name)
}

/** Folders that are never part of a dataset. */
const passedOver = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

/** Deeper than data lie, so that links that go in a circle end. */
const deepest = 24

/** Paths of all files below a folder, relative to it, with `/`. */
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
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await isDirectory(path)))
    // One by one: a call takes no more arguments than some hundred thousand.
    if (isFolder) for (const name of await pathsBelow(path, depth + 1)) paths.push(`${entry.name}/${name}`)
    else paths.push(entry.name)
  }
  return paths
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    found => found.isDirectory(),
    () => false,
  )

/** The files that a path or pattern means, absolute, in the order of their names. A path is given back as it is, there or not. */
async function localFiles(pattern: string, folder: string): Promise<readonly string[]> {
  const absolute = isAbsolute(pattern) ? pattern : join(folder, pattern)
  if (!isPattern(pattern)) return [absolute]
  const names = absolute.split(sep)
  const plain = names.slice(0, names.findIndex(isPattern)).join(sep)
  const base = plain === '' ? sep : plain
  return globPaths(relative(base, absolute).split(sep).join('/'), await pathsBelow(base)).map(path => join(base, path))
}
