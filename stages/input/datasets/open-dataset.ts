import { basename } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { present } from '../../../base/values/present.js'
import { sha256 } from '../../../cache/digest.js'
import type { DatasetIdentity } from '../../../cache/records.js'
import { classRows } from '../python/python-class.js'
import type { Task } from '../tasks/task.js'
import { fetchedFile, fetchingBy } from './locate/addresses.js'
import type { Features } from './columns/features.js'
import { concatenateDatasets, type Dataset, DatasetProblem, decodedDataset, lazilyConcatenated } from './dataset.js'
import type { DataAccess } from './hub/hub.js'
import { readDatasetKwargs, type DatasetKwargs } from './dataset-kwargs.js'
import { type FileOptions, openDataFile } from './data-file.js'
import { type FileDigests, fileIdentities } from './locate/file-identities.js'
import { isMediaKind, isMetadataFile } from './layout/file-kinds.js'
import { type DataPart, identityNames, type LocatedDataset, locateLocal } from './locate/locate-local.js'
import { isRepository, locateByAddress, locateOnHub } from './locate/locate-hub.js'
import { openMediaFiles, type MediaFiles } from './media/media-files.js'
import { openMediaFolder } from './media/media-folder.js'
import { sliceDataset, splitParts } from './locate/split-slices.js'
import { hubMedia, localMedia } from './media/media-sources.js'
import { WatchedFiles } from './locate/watched-files.js'

/** A data file with its name in the dataset's identity. */
export type NamedFile = readonly [name: string, path: string]

/** The rows of a split, and the media files that they name. */
export interface OpenedDataset extends Dataset {
  readonly media: MediaFiles
  /** The data files, which must not change while they are read. */
  readonly watched: WatchedFiles
  /** The files whose content is part of the run's identity. */
  readonly named: () => Promise<readonly NamedFile[]>
}

/** Returns the evaluated split. */
export const chooseSplit = (task: Pick<Task, 'config'>): string | undefined =>
  task.config.test_split ?? task.config.validation_split

/**
 * Opens the files of a task's dataset. Of Hub datasets, it downloads the first files. This is the entry point to how rows are found and read.
 *
 * @param split a split other than the evaluated one, such as the split of examples
 * @throws PipelineError if a file is missing, empty or damaged, with the YAML line that names the file
 */
export function openDataset(task: Task, split?: string): Promise<OpenedDataset> {
  return inTask(task, async () => {
    const parts = splitParts(split ?? chooseSplit(task) ?? 'test')
    const located: LocatedDataset[] = []
    for (const { name } of parts) located.push(await locate(task, name))
    const watched = new WatchedFiles()
    const rows = await Promise.all(
      located.map(async (part, index) =>
        sliceDataset(await openRows(task, part, watched), parts[index] ?? { name: '' }),
      ),
    )
    const [first] = located
    if (first === undefined) throw new DatasetProblem('split', 'names no split')
    const listNamedFiles = async (): Promise<readonly NamedFile[]> =>
      first.revision === undefined ? namedFiles(listContentParts(located)) : []
    return labelMediaErrors(task, {
      ...concatenateDatasets(rows),
      media: openMediaFiles(first.media),
      watched,
      named: listNamedFiles,
    })
  })
}

/** Returns the identity of a dataset: the digests of its files, or the commit of a Hub repository. Paths are not part of it. */
export function datasetIdentity(task: Task, digests: FileDigests): Promise<DatasetIdentity> {
  return inTask(task, async () => {
    const split = chooseSplit(task)
    const located: LocatedDataset[] = []
    for (const { name } of splitParts(split ?? 'test')) located.push(await locate(task, name))
    const [first] = located
    if (first === undefined) throw new DatasetProblem('split', 'names no split')
    const { path, config, revision } = first
    return {
      path,
      ...(config === undefined ? {} : { config }),
      ...(split === undefined ? {} : { split }),
      ...(revision === undefined ? {} : { revision }),
      files: revision === undefined ? await identifyFiles(located, digests) : {},
    }
  })
}

/** Returns the files whose content is part of the identity. */
function listContentParts(located: readonly LocatedDataset[]): readonly DataPart[] {
  const parts = located.flatMap(dataset => dataset.parts)
  // Media get digests when they are read. In a folder of media, file names determine the rows.
  return isMediaKind(located[0]?.kind) ? parts.filter(({ name }) => isMetadataFile(name)) : parts
}

async function namedFiles(parts: readonly DataPart[]): Promise<readonly NamedFile[]> {
  const names = identityNames(parts)
  return Promise.all(parts.map(async (part, index) => [names[index] ?? '', await part.place()] as const))
}

async function identifyFiles(
  located: readonly LocatedDataset[],
  digests: FileDigests,
): Promise<DatasetIdentity['files']> {
  const files = await namedFiles(listContentParts(located))
  const paths = files.map(([, path]) => path)
  const identities = await fileIdentities(paths, digests)
  const namedIdentities = identities.map((identity, index) => [files[index]?.[0] ?? '', identity] as const)
  const listing = isMediaKind(located[0]?.kind)
    ? { 'names of files': sha256<'file'>(located.flatMap(dataset => dataset.parts.map(({ name }) => name)).join('\n')) }
    : {}
  return { ...Object.fromEntries(namedIdentities), ...listing }
}

async function locate(task: Task, split: string): Promise<LocatedDataset> {
  const { dataset_path: path, dataset_name: config } = task.config
  const { access } = task
  const kwargs = readDatasetKwargs(task)
  const sought = {
    path,
    split,
    kwargs,
    folder: task.datasetFolder,
    kwargsFolder: task.kwargsFolder ?? task.datasetFolder,
    ...(typeof config === 'string' ? { config } : {}),
    ...(access && { fetchAddress: inRun(access) }),
  }
  const classData = await classRows(task, split)
  if (classData !== undefined) {
    const media = await localMedia(classData, { ...task, mediaFolder: task.mediaFolder ?? task.datasetFolder }, kwargs)
    return { ...classData, path: basename(path), media }
  }
  const addressed = access && (await locateByAddress(sought, access, task.name))
  if (addressed !== undefined) return { ...addressed, media: hubMedia(addressed.snapshot, task, kwargs) }
  const local = await locateLocal(sought)
  if (local !== undefined) return { ...local, path: basename(path), media: await localMedia(local, task, kwargs) }
  if (access === undefined || path.startsWith('.') || !isRepository(path))
    throw new DatasetProblem('dataset_path', `no file or folder ${path}`)
  const hubData = await locateOnHub(sought, access, task.name)
  return { ...hubData, media: hubMedia(hubData.snapshot, task, kwargs) }
}

/** Downloads of data files by address. Each run checks an address once. */
const brought = new WeakMap<DataAccess, Map<string, Promise<string>>>()

function inRun(access: DataAccess): (address: string) => Promise<string> {
  const files = brought.get(access) ?? new Map<string, Promise<string>>()
  brought.set(access, files)
  return address => {
    const file = files.get(address) ?? fetchedFile(address, fetchingBy(access, { isRenewed: true }))
    files.set(address, file)
    return file
  }
}

/** The maximum number of files to open before the first row. Opening reports damaged files early, and yields the number of rows. */
const mostOpened = 64

async function openRows(task: Task, located: LocatedDataset, watched: WatchedFiles): Promise<Dataset> {
  const { kind, parts, every, features, revision, options: ofCard } = located
  const [first, ...later] = parts
  if (first === undefined) throw new DatasetProblem('dataset_path', `${located.path} has no files`)
  const options = {
    ...fileOptions(readDatasetKwargs(task, ofCard), features),
    limit: task.access?.recordLimit,
  }
  const open = async (part: DataPart): Promise<Dataset> => {
    const path = await part.place()
    await watched.open(path)
    const { dataset, isTyped } = await openDataFile(path, options)
    const decoded = decodedDataset(dataset, features, isTyped)
    return { ...decoded, rows: rowOptions => watched.read(path, decoded.rows(rowOptions)) }
  }
  if (isMediaKind(kind)) {
    const byName = new Map(parts.map(part => [part.name, part]))
    return openMediaFolder({
      kind,
      paths: parts.map(({ name }) => name),
      every,
      open: name => open(byName.get(name) ?? first),
    })
  }
  // Files of a Hub dataset share one schema, and later ones may never be needed. Opening a thousand files takes seconds.
  if (revision !== undefined || parts.length > mostOpened)
    return lazilyConcatenated(
      await open(first),
      later.map(part => () => inTask(task, () => open(part))),
    )
  return concatenateDatasets(await Promise.all(parts.map(open)))
}

/** Makes the options for reading files, as in `datasets`, except that CSV columns with a known type stay text. */
function fileOptions(kwargs: DatasetKwargs, features: Features | undefined): FileOptions {
  return {
    ...present({
      separator: kwargs.delimiter ?? kwargs.sep,
      names: kwargs.column_names ?? kwargs.names,
      header: kwargs.header === 'infer' ? undefined : kwargs.header,
      field: kwargs.field ?? undefined,
      skipped: kwargs.skiprows ?? undefined,
      most: kwargs.nrows ?? undefined,
      quote: kwargs.quotechar,
      encoding: kwargs.encoding ?? undefined,
    }),
    skipsSpace: kwargs.skipinitialspace,
    hasMissing: kwargs.keep_default_na && kwargs.na_filter,
    untyped: new Set(Object.keys(features ?? {})),
  }
}

/** Adds the task's YAML line to errors while media are located. */
function labelMediaErrors(task: Task, dataset: OpenedDataset): OpenedDataset {
  const { media } = dataset
  return { ...dataset, media: { ...media, locate: (name, signal) => inTask(task, () => media.locate(name, signal)) } }
}

/** Adds the line of the task's file to a DatasetProblem. */
async function inTask<T>(task: Task, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DatasetProblem)) throw error
    const key = keyIn(task, error.key)
    throw new PipelineError('dataset', `${task.at([key])}  ${key}: ${error.message}`, { cause: error })
  }
}

/** Returns the key that the problem is about, or `dataset_path` if the file omits the key. */
function keyIn({ config }: Task, key: DatasetProblem['key']): string {
  const keys = key === 'split' ? (['test_split', 'validation_split'] as const) : ([key] as const)
  return keys.find(name => config[name] !== undefined && config[name] !== null) ?? 'dataset_path'
}
