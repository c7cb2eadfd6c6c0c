import { PipelineError } from '../../../../base/errors/errors.js'
import { tooLong, usualRecordLimit } from '../../../../base/files/record-limit.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import type { Dataset, Doc } from '../dataset.js'
import { textPieces } from '../text-lines.js'
import {
  columnNames,
  type ColumnType,
  isFloat,
  look,
  missingTexts,
  newGuess,
  convertCell,
  chooseColumnType,
} from './column-types.js'
import { type PictureColumns, pointedPictures, pointerIn } from './pointed-pictures.js'
import { type CsvRecord, csvRecords, type CsvRecords, OpenRecordError } from './csv-records.js'

export interface CsvOptions {
  /** The separator. @default a tab for a file name with `.tsv`, else a comma */
  readonly separator?: string
  /** The names of the columns, if the first line has none. */
  readonly names?: readonly string[]
  /** True if texts such as `NA`, and empty values, are missing values. If `false`, they stay texts. */
  readonly hasMissing?: boolean
  /**
   * The line with the column names, from 0, without counting blank lines; `null` if there is none.
   * @default the first line, or none with `names`
   */
  readonly header?: number | null
  /** The number of lines to skip at the start. */
  readonly skipped?: number
  /** The maximum number of rows. */
  readonly most?: number
  readonly quote?: string
  readonly skipsSpace?: boolean
  /** The encoding by Python's name. */
  readonly encoding?: string
  /** Columns with a type from another source. Their values stay texts. */
  readonly untyped?: ReadonlySet<string>
  /** Maximum characters of a record. */
  readonly limit?: number | undefined
}

/**
 * Opens a comma-separated file (RFC 4180), or a tab-separated one if its name contains `.tsv`. The first record
 * names the columns. The type of a column depends on all its values, which are read once before the first row. If
 * the first row has more values than there are names, the surplus values at its start are the row's index.
 *
 *
 * Source: pandas' `read_csv`, which `datasets` uses for such files.
 */
export async function openCsv(file: string, options: CsvOptions = {}): Promise<Dataset> {
  const csvColumns = await readColumns(file, options)
  const pictures = pictureColumns(csvColumns)
  const pointers = new Set<string>()
  const types = once(() =>
    guessColumnTypes(file, csvColumns, {
      ...options,
      seen: record => {
        const pointer = pictures && pointerIn(record, pictures)
        if (pointer !== undefined) pointers.add(pointer)
      },
    }),
  )
  return {
    files: [file],
    columns: csvColumns.map(({ name }) => ({ name, isMedia: false })),
    findFloats: async () =>
      Object.fromEntries((await types()).flatMap(({ name, isFloat }) => (isFloat ? [[name, true]] : []))),
    async *rows() {
      const columns = await types()
      const missing = chooseMissingTexts(options)
      const makeDoc = (record: CsvRecord): Doc =>
        Object.fromEntries(
          columns.map(({ name, at, type }) => [name, convertCell(record[at] ?? '', type, missing)] as const),
        )
      const records = () => dataRecords(file, csvColumns.length, options)
      const pointed =
        pictures === undefined || pointers.size === 0 ? undefined : await pointedPictures(records(), pictures, pointers)
      try {
        for await (const batch of records())
          for (const record of batch) yield makeDoc(pointed === undefined ? record : await pointed.resolve(record))
      } finally {
        await pointed?.close()
      }
    },
  }
}

interface CsvColumn {
  readonly name: string
  /** The position of its values in a record. */
  readonly at: number
}

/** Lists the named columns, then the index columns, in the order of `datasets`. */
async function readColumns(file: string, options: CsvOptions): Promise<readonly CsvColumn[]> {
  const header = findHeaderIndex(options)
  const first = await firstRecords(file, options, header + 2)
  const row = first[header + 1]
  if (row === undefined) throw new PipelineError('dataset', `${shownPath(file)} holds no rows`)
  const names = options.names ?? (header < 0 ? row.map((_, index) => String(index)) : columnNames(first[header] ?? []))
  const extra = Math.max(0, row.length - names.length)
  return [
    ...names.map((name, index) => ({ name, at: index + extra })),
    ...Array.from({ length: extra }, (_, at) => ({ name: `__index_level_${at}__`, at })),
  ]
}

/** The columns of VLMEvalKit's files, where a file has both. */
function pictureColumns(csvColumns: readonly CsvColumn[]): PictureColumns | undefined {
  const at = (column: string): number | undefined => csvColumns.find(({ name }) => name === column)?.at
  const [index, image] = [at('index'), at('image')]
  return index === undefined || image === undefined ? undefined : { index, image }
}

/** Returns the index of the record with the column names, or -1. */
const findHeaderIndex = ({ header, names }: CsvOptions): number =>
  header === null ? -1 : (header ?? (names === undefined ? 0 : -1))

interface TypedColumn extends CsvColumn {
  readonly type: ColumnType
  readonly isFloat: boolean
}

async function guessColumnTypes(
  file: string,
  csvColumns: readonly CsvColumn[],
  { seen, ...options }: CsvOptions & { readonly seen: (record: CsvRecord) => void },
): Promise<readonly TypedColumn[]> {
  const missing = chooseMissingTexts(options)
  const columns = csvColumns.map(column => ({ ...column, guess: newGuess() }))
  const guessed = columns.filter(({ name }) => options.untyped?.has(name) !== true)
  for await (const records of dataRecords(file, csvColumns.length, options)) {
    for (const { guess, at } of guessed) for (const record of records) look(guess, record[at] ?? '', missing)
    for (const record of records) seen(record)
  }
  return columns.map(({ name, at, guess }) => ({ name, at, type: chooseColumnType(guess), isFloat: isFloat(guess) }))
}

const nothing: ReadonlySet<string> = new Set()
const chooseMissingTexts = ({ hasMissing = true }: CsvOptions): ReadonlySet<string> =>
  hasMissing ? missingTexts : nothing

/** Yields the records below the names in batches. Values that a record lacks are missing. */
async function* dataRecords(file: string, width: number, options: CsvOptions): AsyncGenerator<readonly CsvRecord[]> {
  const first = findHeaderIndex(options) + 1
  const end = first + (options.most ?? Infinity)
  let recordCount = 0
  for await (const records of readRecords(file, options)) {
    const own = records.slice(Math.max(0, first - recordCount), Math.max(0, end - recordCount))
    for (const [index, { length }] of own.entries()) {
      const at = Math.max(first, recordCount) + index
      // The file may be cut off in its last record.
      const isCut = records.isOpenEnded === true && at === recordCount + records.length - 1
      if (length > width || (length < width && isCut))
        throw new PipelineError(
          'dataset',
          `${shownPath(file)}, record ${at + 1}: ${length} values for ${width === 1 ? '1 column' : `${width} columns`}${width === 1 ? otherSeparator : ''}`,
        )
    }
    yield own
    recordCount += records.length
    if (recordCount >= end) return
  }
}

/** A table of one column is often one whose values are separated by something else. */
const otherSeparator =
  '. If its values are separated by another character than a comma, name it: dataset_kwargs: {delimiter: ";"}'

async function firstRecords(file: string, options: CsvOptions, count: number): Promise<readonly CsvRecord[]> {
  const leadingRecords: CsvRecord[] = []
  for await (const records of readRecords(file, options)) {
    leadingRecords.push(...records.slice(0, count - leadingRecords.length))
    if (leadingRecords.length === count) break
  }
  if (leadingRecords.length === 0) throw new PipelineError('dataset', `${shownPath(file)} is empty`)
  return leadingRecords
}

async function* readRecords(file: string, options: CsvOptions): AsyncGenerator<CsvRecords> {
  const {
    separator = /\.tsv(\.\w+)?$/i.test(file) ? '\t' : ',',
    skipped = 0,
    quote = '"',
    encoding,
    skipsSpace = false,
    limit = usualRecordLimit,
  } = options
  const text = (): AsyncGenerator<string> => withoutLines(textPieces(file, encoding), skipped, { separator, quote })
  try {
    yield* csvRecords(text(), { separator, quote, skipsSpace, limit })
  } catch (error) {
    if (!(error instanceof OpenRecordError)) throw error
    const location = `${shownPath(file)}:${skipped + (await lineAt(text(), error.offset))}`
    const what = error.isLong
      ? tooLong('the record that begins here', limit)
      : 'the file ends inside the quoted value that begins here. Close its quote, or give quotechar in dataset_kwargs'
    throw new PipelineError('dataset', `${location}  ${what}`, { cause: error })
  }
}

/** The line number of an offset in a text, from 1. */
async function lineAt(pieces: AsyncIterable<string>, offset: number): Promise<number> {
  let line = 1
  let passed = 0
  for await (const piece of pieces) {
    const end = offset - passed
    for (let at = piece.indexOf('\n'); at >= 0 && at < end; at = piece.indexOf('\n', at + 1)) line++
    passed += piece.length
    if (passed > offset) break
  }
  return line
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined
  return () => (promise ??= make())
}

/**
 * Skips lines at the start of a text; blank lines count. A line end in a quoted value does not end a line here
 * either.
 *
 *
 * Source: `skiprows` in pandas' `tokenizer.c`.
 */
async function* withoutLines(
  pieces: AsyncIterable<string>,
  count: number,
  { separator, quote }: { readonly separator: string; readonly quote: string },
): AsyncGenerator<string> {
  let remainingLines = count
  let at: 'start' | 'value' | 'quoted' | 'closing' = 'start'
  const pass = (character: string | undefined): void => {
    if (at === 'quoted') {
      if (character === quote) at = 'closing'
    } else if (character === '\n') {
      remainingLines--
      at = 'start'
    } else if (character === quote && at !== 'value') at = 'quoted'
    else at = character === separator ? 'start' : 'value'
  }
  for await (const piece of pieces) {
    let from = 0
    while (remainingLines > 0 && from < piece.length) pass(piece[from++])
    if (remainingLines === 0) yield piece.slice(from)
  }
}
