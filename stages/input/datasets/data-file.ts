import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import { expectFile, FileError, fileTrouble } from '../../../base/files/files.js'
import { foreignBytes, foreignContent, pointerContent } from '../../../base/files/foreign-content.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { type CsvOptions, openCsv } from './csv/csv.js'
import { type Dataset, DatasetProblem, type OpenDataFile } from './dataset.js'
import { openJson, openJsonField } from './json/json.js'
import { openJsonl } from './json/jsonl.js'
import { fileKind, type FileKind, tableEndings } from './layout/file-kinds.js'
import { openText } from './text-lines.js'

/** Readers by kind of file. Those with many modules are loaded on first use. */
const readers: Readonly<Partial<Record<FileKind, OpenDataFile>>> = {
  parquet: async file => (await import('./parquet/parquet.js')).openParquet(file),
  arrow: async file => (await import('./arrow/arrow-file.js')).openArrow(file),
  json: (file, limit) => (/\.json(\.(gz|zst))?$/i.test(file) ? openJson(file, limit) : openJsonl(file, limit)),
  text: openText,
}

/** Options for CSV, the maximum characters of a record of any text file, and for JSON the field that holds the rows. */
export interface FileOptions extends CsvOptions {
  readonly field?: string
}

/**
 * Opens a data file by the ending of its name. `isTyped` tells whether the format has typed values.
 *
 * @throws DatasetProblem where the ending is unknown; PipelineError where the file is missing, empty or damaged.
 */
export async function openDataFile(
  file: string,
  { field, ...csv }: FileOptions = {},
): Promise<{ readonly dataset: Dataset; readonly isTyped: boolean }> {
  await expectData(file, csv.encoding)
  if (/\.manifest$/.test(file))
    return { dataset: await (await import('./arrow/lance.js')).openLance(file), isTyped: true }
  const kind = fileKind(file)
  if (kind === 'json' && field !== undefined)
    return { dataset: await openJsonField(file, field, csv.limit), isTyped: false }
  if (kind === 'csv') return { dataset: await openCsv(file, csv), isTyped: false }
  if (csv.encoding !== undefined && kind !== undefined && !/^utf[-_]?8/i.test(csv.encoding))
    throw new DatasetProblem(
      'dataset_kwargs',
      `encoding: only CSV may be of another encoding than UTF-8, not ${basename(file)}`,
    )
  const openRows = kind && readers[kind]
  if (kind !== undefined && openRows !== undefined)
    return { dataset: await openRows(file, csv.limit), isTyped: kind === 'parquet' || kind === 'arrow' }
  if (/\.(xlsx?|ods)$/i.test(file))
    throw new DatasetProblem(
      'dataset_path',
      `${basename(file)} is a workbook, which is not read here. Save its sheet as CSV`,
    )
  const packed = /\.(bz2|xz|lz4|7z|rar|zip)$/i.exec(file)?.[1]
  if (packed !== undefined)
    throw new DatasetProblem(
      'dataset_path',
      `${basename(file)} is packed as .${packed}, which is not read here. Unpack it${unpackers[packed.toLowerCase()] ?? ''}, or pack it as .gz or .zst`,
    )
  throw new DatasetProblem(
    'dataset_path',
    `${basename(file)} is of no known format (${tableEndings.join(', ')}; texts also .gz and .zst)`,
  )
}

const unpackers: Readonly<Record<string, string>> = {
  bz2: ' (bunzip2 -k)',
  xz: ' (unxz -k)',
  lz4: ' (unlz4)',
  zip: ' (unzip)',
}

/** @throws PipelineError where a path is not a regular file: opening a pipe may wait for ever. */
export async function expectDataFile(path: string): Promise<Stats> {
  return expectFile(path).catch((error: unknown) => refuse(path, error))
}

/**
 * Verifies that a data file exists and contains what its name says, rather than a Git LFS pointer or another format.
 *
 * @param encoding of its text, where that is not UTF-8
 * @throws PipelineError with what to do
 */
async function expectData(path: string, encoding?: string): Promise<void> {
  await expectDataFile(path)
  try {
    const beginning = await firstBytes(path)
    const isText = /\.(jsonl?|ndjson|csv|tsv|txt)$/i.test(path) && encoding === undefined
    const problem = isText ? foreignContent(beginning) : pointerContent(beginning)
    if (problem !== undefined) throw new FileError(problem)
  } catch (error) {
    refuse(path, error)
  }
}

function refuse(path: string, error: unknown): never {
  const why = fileTrouble(error)
  if (why === undefined) throw error
  const isMissing = systemCode(error) === 'ENOENT'
  const text = isMissing ? `no file ${shownPath(path)}` : `${shownPath(path)}: ${why}`
  throw new PipelineError('dataset', text, { cause: error })
}

async function firstBytes(file: string): Promise<Uint8Array> {
  await using handle = await open(file)
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(foreignBytes), { position: 0 })
  return buffer.subarray(0, bytesRead)
}
