import { readdir, stat } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { PipelineError, systemCode } from '../../../base/errors.js'
import type { FileDigest } from '../../../cache/digest.js'
import type { DatasetIdentity } from '../../../cache/records.js'
import type { Task } from '../tasks/task.js'
import { openCsv } from './csv.js'
import { concatenated, type Dataset, type OpenDataFile } from './dataset.js'
import { openJson } from './json-array.js'
import { openJsonl } from './jsonl.js'

const formats: Readonly<Record<string, OpenDataFile>> = {
  // Loaded where there is such a file: reading Parquet takes fifty modules.
  parquet: async file => (await import('./parquet.js')).openParquet(file),
  jsonl: openJsonl,
  ndjson: openJsonl,
  json: openJson,
  csv: openCsv,
}
/** What upstream tasks write for `dataset_path` where `data_files` names the files. */
const builders = new Set(['json', 'csv', 'parquet'])

/** The split that is evaluated. */
export const splitOf = (task: Task): string | undefined => task.config.test_split ?? task.config.validation_split

/**
 * Opens the files of a task's dataset.
 *
 * @throws PipelineError where one is missing, empty or damaged, with the YAML line that names it.
 */
export async function openDataset(task: Task): Promise<Dataset> {
  const files = await datasetFiles(task)
  return concatenated(await Promise.all(files.map(file => openFile(file, task))))
}

/** What data it is: the digests of its files, wherever they lie. */
export async function datasetIdentity(
  task: Task,
  fileDigest: (path: string) => Promise<FileDigest>,
): Promise<DatasetIdentity> {
  const files = await datasetFiles(task)
  const digests = await Promise.all(files.map(async file => [basename(file), await fileDigest(file)] as const))
  const split = splitOf(task)
  return {
    path: basename(task.config.dataset_path),
    ...(split === undefined ? {} : { split }),
    files: Object.fromEntries(digests),
  }
}

/** The files of the task's split, absolute, in the order of their names. */
export async function datasetFiles(task: Task): Promise<readonly string[]> {
  const { dataset_path: path } = task.config
  const listed = builders.has(path) ? listedFiles(task) : undefined
  if (listed !== undefined) return listed.map(name => placed(task, name))
  const place = placed(task, path)
  const found = await stat(place).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error
    throw new PipelineError(
      'dataset',
      `${task.at(['dataset_path'])}  dataset_path: no file or folder ${path} (a Hub repository must be downloaded first)`,
      { cause: error },
    )
  })
  return found.isDirectory() ? filesOfSplit(place, task) : [place]
}

const placed = (task: Task, name: string): string => (isAbsolute(name) ? name : join(task.datasetFolder, name))

function listedFiles(task: Task): readonly string[] | undefined {
  const given = task.config.dataset_kwargs?.['data_files']
  if (given === undefined) return undefined
  const split = splitOf(task) ?? 'test'
  const ofSplit = typeof given === 'object' && given !== null && !Array.isArray(given) && split in given
  const names: unknown = ofSplit ? Object.entries(given).find(([name]) => name === split)?.[1] : given
  const list: readonly unknown[] = Array.isArray(names) ? names : [names]
  const files = list.filter(name => typeof name === 'string')
  if (files.length > 0 && files.length === list.length) return files
  throw new PipelineError(
    'config',
    `${task.at(['dataset_kwargs', 'data_files'])}  dataset_kwargs.data_files: expected a file, a list of files, or these for the split "${split}"`,
  )
}

/** `test.parquet`, `test-00000-of-00002.parquet`, `test.jsonl`, …, also below `data/`. */
async function filesOfSplit(folder: string, task: Task): Promise<readonly string[]> {
  const split = splitOf(task) ?? 'test'
  const ofSplit = (name: string): boolean =>
    (name.startsWith(`${split}-`) || name.startsWith(`${split}.`)) && formatOf(name) !== undefined
  for (const place of [folder, join(folder, 'data')]) {
    const names = await readdir(place).catch(() => [])
    const files = names.filter(ofSplit).sort()
    if (files.length > 0) return files.map(name => join(place, name))
  }
  throw new PipelineError(
    'dataset',
    `${task.at(['dataset_path'])}  dataset_path: no file of the split "${split}" in ${task.config.dataset_path} (such as ${split}.parquet or ${split}-00000-of-00001.parquet)`,
  )
}

const formatOf = (file: string): OpenDataFile | undefined =>
  formats[/\.(\w+)(\.gz)?$/.exec(file)?.[1]?.toLowerCase() ?? '']

async function openFile(file: string, task: Task): Promise<Dataset> {
  const open = formatOf(file)
  if (open !== undefined) return open(file)
  throw new PipelineError(
    'dataset',
    `${task.at(['dataset_path'])}  dataset_path: ${basename(file)} is of no known format (${Object.keys(formats).join(', ')}, .gz)`,
  )
}
