import { isFolderSync } from '../../../../base/files/path-kinds.js'
import { dirname, join, posix, resolve } from 'node:path'
import { MediumError } from '../../media/medium-error.js'
import type { Task } from '../../tasks/task.js'
import { AddressError, fetchedFile, fetchingBy, mediumLimits } from '../locate/addresses.js'
import { type ArchiveGroup, archiveGroups, unpack } from '../archives/unpack.js'
import { UnpackedSum } from '../archives/unpacked-folder.js'
import type { DatasetKwargs } from '../dataset-kwargs.js'
import type { DataAccess, HubSnapshot } from '../hub/hub.js'
import { DatasetProblem } from '../dataset.js'
import { isMediaKind } from '../layout/file-kinds.js'
import { globPaths } from '../layout/file-patterns.js'
import { type Local, pathsBelow } from '../locate/locate-local.js'
import type { MediaSources } from './media-files.js'

/** Finds the media of a local dataset: beside its first file, and in archives that the task names. */
export async function localMedia(
  { root, parts, kind }: Local,
  task: Task,
  kwargs: DatasetKwargs,
): Promise<MediaSources> {
  const first = await parts[0]?.place()
  // Rows of a folder of media name files from its top; rows of a table name them from the table's folder.
  const own = task.mediaFolder ?? (isMediaKind(kind) || first === undefined ? root : dirname(first))
  const places = new Map(
    (kwargs.archives !== undefined ? await pathsBelow(root) : []).map(path => [path, join(root, path)] as const),
  )
  return {
    folders: listMediaFolders(task, kwargs, [own]),
    lazy: archives([...places.keys()], kwargs, task, path => Promise.resolve(places.get(path) ?? path)),
    ...addresses(task),
    ...(task.access?.rowFolders === undefined
      ? { isTrusted: true }
      : { isTrusted: false, bounds: [root, ...task.access.rowFolders] }),
    isLenient: [kwargs.archives, kwargs.media_root, kwargs.cache_dir].some(option => option !== undefined),
  }
}

/** Finds the media of a Hub repository: among its files, and in its archives. */
export function hubMedia(snapshot: HubSnapshot, task: Task, kwargs: DatasetKwargs): MediaSources {
  const { paths, folder } = snapshot
  const repositoryPaths = new Set(paths)
  const fetch = async (name: string): Promise<string | undefined> => {
    const path = posix.normalize(name)
    return repositoryPaths.has(path) ? snapshot.file(path) : undefined
  }
  return {
    folders: listMediaFolders(task, kwargs, [folder]),
    lazy: archives(paths, kwargs, task, path => snapshot.file(path)),
    fetch,
    ...addresses(task),
    isTrusted: false,
    isLenient: true,
  }
}

/** Media with addresses are downloaded once, so that all runs of this store show the same. */
const addresses = ({ access }: Task): Pick<MediaSources, 'fetchAddress'> =>
  access === undefined
    ? {}
    : {
        fetchAddress: (address, signal) =>
          fetchedFile(address, fetchingBy(access, { isRenewed: false, limits: mediumLimits, signal })).catch(
            (error: unknown) => {
              throw error instanceof AddressError ? new MediumError(error.message, { cause: error }) : error
            },
          ),
      }

function listMediaFolders(
  task: Task,
  { media_root: root, cache_dir: cached }: DatasetKwargs,
  own: readonly string[],
): readonly string[] {
  const { access, datasetFolder, kwargsFolder = datasetFolder } = task
  const unpacked = access === undefined || cached === undefined ? [] : [resolve(access.hfHome, cached)]
  return [
    ...(root === undefined ? [] : [resolve(kwargsFolder, root)]),
    ...own,
    ...(access?.mediaRoots ?? []).flatMap(folder => (cached === undefined ? [folder] : [folder, join(folder, cached)])),
    ...unpacked.filter(isFolderSync),
  ]
}

function archives(
  paths: readonly string[],
  kwargs: DatasetKwargs,
  task: Task,
  place: (path: string) => Promise<string>,
): MediaSources['lazy'] {
  const { archives: patterns = kwargs.video ? ['**'] : [] } = kwargs
  for (const pattern of kwargs.archives ?? [])
    if (archiveGroups(globPaths(pattern, paths)).length === 0)
      throw new DatasetProblem('dataset_kwargs', `no archive matches ${pattern}`)
  const archivePaths = new Set(patterns.flatMap(pattern => globPaths(pattern, paths)))
  return archiveGroups(paths)
    .filter(group => group.paths.some(path => archivePaths.has(path)))
    .map(group => () => openArchive(group, task, place))
}

/** The sums of what the archives of an evaluation have become, by its access to data. */
const sums = new WeakMap<DataAccess, UnpackedSum>()

function sumFor(access: DataAccess): UnpackedSum {
  const sum = sums.get(access) ?? new UnpackedSum()
  sums.set(access, sum)
  return sum
}

async function openArchive(
  group: ArchiveGroup,
  { access }: Task,
  place: (path: string) => Promise<string>,
): Promise<string> {
  if (access === undefined)
    throw new DatasetProblem('dataset_kwargs', `${group.name} can't be unpacked here: there is no folder for it`)
  const files: string[] = []
  for (const path of group.paths) files.push(await place(path))
  const { name, kind } = group
  const onBegin = (): void => access.emit({ type: 'note', text: `unpacking ${name}` })
  return unpack({ name, kind, files, onBegin, sum: sumFor(access) }, access.cacheDir)
}
