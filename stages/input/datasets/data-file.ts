import { basename } from 'node:path'
import { openCsv, type CsvOptions } from './csv/csv.js'
import type { Dataset, OpenDataFile } from './dataset.js'
import { openJson } from './json/json-array.js'
import { openJsonField } from './json/json-field.js'
import { openJsonl } from './json/jsonl.js'
import { expectData } from './expect-data.js'
import { DatasetProblem } from './layout/dataset-problem.js'
import { fileKind, tableEndings, type FileKind } from './layout/file-kinds.js'
import { openText } from './text/text-rows.js'

/** Readers of what holds rows. Those of many modules are loaded where there is such a file. */
const readers: Readonly<Partial<Record<FileKind, OpenDataFile>>> = {
  parquet: async file => (await import('./parquet/parquet.js')).openParquet(file),
  arrow: async file => (await import('./arrow/arrow-file.js')).openArrow(file),
  json: file => (/\.json(\.(gz|zst))?$/i.test(file) ? openJson(file) : openJsonl(file)),
  text: openText,
}

/** How CSV is read where it is that, and of JSON the field that holds the rows. */
export interface FileOptions extends CsvOptions {
  readonly field?: string
}

/**
 * Opens a data file by the ending of its name. `isTyped` says whether its values have types of their own.
 *
 * @throws DatasetProblem where the ending is none that is known; PipelineError where the file is missing, empty or damaged.
 */
export async function openDataFile(
  file: string,
  { field, ...csv }: FileOptions = {},
): Promise<{ readonly dataset: Dataset; readonly isTyped: boolean }> {
  await expectData(file, csv.encoding)
  if (/\.manifest$/.test(file))
    return { dataset: await (await import('./lance/lance.js')).openLance(file), isTyped: true }
  const kind = fileKind(file)
  if (kind === 'json' && field !== undefined) return { dataset: await openJsonField(file, field), isTyped: false }
  if (kind === 'csv') return { dataset: await openCsv(file, csv), isTyped: false }
  if (csv.encoding !== undefined && kind !== undefined && !/^utf[-_]?8/i.test(csv.encoding))
    throw new DatasetProblem(
      'dataset_kwargs',
      `encoding: only CSV may be of another encoding than UTF-8, not ${basename(file)}`,
    )
  const openRows = kind && readers[kind]
  if (kind !== undefined && openRows !== undefined)
    return { dataset: await openRows(file), isTyped: kind === 'parquet' || kind === 'arrow' }
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
