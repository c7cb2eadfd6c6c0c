import { PipelineError } from '../../../../base/errors.js'
import { shownPath } from '../../../../base/shown-path.js'
import type { Dataset, Doc } from '../dataset.js'
import { textPieces } from '../text-lines.js'
import { columnNames } from './column-names.js'
import { isFloat, look, missingTexts, newGuess, typed, typeOf, type ColumnType } from './column-types.js'
import { csvRecords, OpenQuoteError, type CsvRecord, type CsvRecords } from './csv-records.js'

export interface CsvOptions {
  /** Default: a tab where the file's name says `.tsv`, else a comma. */
  readonly separator?: string
  /** The names of the columns, where the first line has none. */
  readonly names?: readonly string[]
  /** `false`: texts such as `NA` and nothing at all are texts. */
  readonly hasMissing?: boolean
  /** Columns whose values are left as texts, since somebody else says what they are. */
  readonly untyped?: ReadonlySet<string>
}

/**
 * A comma-separated file (RFC 4180), or one with tabs where its name says `.tsv`, whose first record names the columns. What a column holds
 * is seen from all of its values, which are read once before the first row is given. Where the first row has more values than there are names,
 * those at its beginning are the row's index.
 *
 * Source: pandas' `read_csv`, by which `datasets` reads such files.
 */
export async function openCsv(file: string, options: CsvOptions = {}): Promise<Dataset> {
  const places = await columnPlaces(file, options)
  const types = once(() => typesOf(file, places, options))
  return {
    files: [file],
    columns: places.map(({ name }) => ({ name, isMedia: false })),
    findFloats: async () =>
      Object.fromEntries((await types()).flatMap(({ name, isFloat }) => (isFloat ? [[name, true]] : []))),
    async *rows() {
      const columns = await types()
      const missing = missingOf(options)
      const docOf = (record: CsvRecord): Doc =>
        Object.fromEntries(columns.map(({ name, at, type }) => [name, typed(record[at] ?? '', type, missing)] as const))
      for await (const records of dataRecords(file, places.length, options))
        for (const record of records) yield docOf(record)
    },
  }
}

interface Place {
  readonly name: string
  /** Where its values are in a record. */
  readonly at: number
}

/** The named columns, and those of the index behind them, as `datasets` has them. */
async function columnPlaces(file: string, options: CsvOptions): Promise<readonly Place[]> {
  const [first, second] = await firstRecords(file, options)
  const names = options.names ?? columnNames(first)
  const row = options.names === undefined ? second : first
  if (row === undefined) throw new PipelineError('dataset', `${shownPath(file)} holds no rows`)
  const extra = Math.max(0, row.length - names.length)
  return [
    ...names.map((name, index) => ({ name, at: index + extra })),
    ...Array.from({ length: extra }, (_, at) => ({ name: `__index_level_${at}__`, at })),
  ]
}

interface TypedColumn extends Place {
  readonly type: ColumnType
  readonly isFloat: boolean
}

async function typesOf(file: string, places: readonly Place[], options: CsvOptions): Promise<readonly TypedColumn[]> {
  const missing = missingOf(options)
  const columns = places.map(place => ({ ...place, guess: newGuess() }))
  const guessed = columns.filter(({ name }) => options.untyped?.has(name) !== true)
  for await (const records of dataRecords(file, places.length, options))
    for (const { guess, at } of guessed) for (const record of records) look(guess, record[at] ?? '', missing)
  return columns.map(({ name, at, guess }) => ({ name, at, type: typeOf(guess), isFloat: isFloat(guess) }))
}

const nothing: ReadonlySet<string> = new Set()
const missingOf = ({ hasMissing = true }: CsvOptions): ReadonlySet<string> => (hasMissing ? missingTexts : nothing)

/** The records below the names, some at a time. Values that a line does not have are missing. */
async function* dataRecords(file: string, width: number, options: CsvOptions): AsyncGenerator<readonly CsvRecord[]> {
  let seen = options.names === undefined ? -1 : 0
  for await (const records of recordsOf(file, options)) {
    for (const [index, { length }] of records.entries()) {
      // The file may be the beginning of a longer one.
      const isCut = records.isOpenEnded === true && index === records.length - 1
      if ((length > width || (length < width && isCut)) && seen + index >= 0)
        throw new PipelineError(
          'dataset',
          `${shownPath(file)}, record ${seen + index + 2}: ${length} values for ${width} columns`,
        )
    }
    yield seen < 0 ? records.slice(1) : records
    seen += records.length
  }
}

/** The first record, and the second where there is one. */
async function firstRecords(file: string, options: CsvOptions): Promise<readonly [CsvRecord, CsvRecord?]> {
  const found: CsvRecord[] = []
  for await (const records of recordsOf(file, options)) {
    found.push(...records.slice(0, 2 - found.length))
    if (found.length === 2) break
  }
  const [first, second] = found
  if (first === undefined) throw new PipelineError('dataset', `${shownPath(file)} is empty`)
  return second === undefined ? [first] : [first, second]
}

async function* recordsOf(file: string, { separator }: CsvOptions): AsyncGenerator<CsvRecords> {
  try {
    yield* csvRecords(textPieces(file), separator ?? (/\.tsv(\.\w+)?$/i.test(file) ? '\t' : ','))
  } catch (error) {
    if (!(error instanceof OpenQuoteError)) throw error
    throw new PipelineError('dataset', `${shownPath(file)} ends inside a quoted value`, { cause: error })
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
