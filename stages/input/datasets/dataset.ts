import { shownPath } from '../../../base/files/shown-path.js'
import type { Doc, DocList } from '../tasks/doc.js'
import { decodedRow, type Features, holdsMedia } from './columns/features.js'
import { bothFloats, type FloatFields, collectFloats } from './columns/floats.js'

export type { Doc }

export interface Column {
  readonly name: string
  /** True if the column holds media bytes (the Hub's `{bytes, path}`). Such a column is only read on request. */
  readonly isMedia: boolean
}

/** Docs in the order of the file(s), never all in memory. */
export interface Dataset {
  readonly files: readonly string[]
  readonly columns: readonly Column[]
  /** The number of docs, where the file states it. */
  readonly count?: number
  /**
   * Finds the number without reading the docs, by looking into many files. `undefined` where they do not state it.
   */
  readonly findCount?: () => Promise<number | undefined>
  /** Types of its columns, where the file or its card states them. Rows are decoded by them. */
  readonly features?: Features
  /** Finds which numbers are floating-point, which may read through a file. Absent where `features` suffice. */
  readonly findFloats?: () => Promise<FloatFields>
  /** `columns` limits what is read, where the format allows it. */
  rows(options?: { readonly columns?: readonly string[] }): AsyncIterable<Doc>
}

/** Opens one data file of a known format. Opening rejects a file that is missing, empty or visibly damaged. */
export type OpenDataFile = (file: string, limit?: number) => Promise<Dataset>

/** Concatenates files. Each file is opened when it is reached, because it may need a download. */
export function lazilyConcatenated(first: Dataset, later: readonly (() => Promise<Dataset>)[]): Dataset {
  if (later.length === 0) return first
  let counted: Promise<number | undefined> | undefined
  return {
    files: first.files,
    columns: first.columns,
    ...(first.features === undefined ? {} : { features: first.features }),
    ...(first.findFloats === undefined ? {} : { findFloats: first.findFloats }),
    findCount: () => (counted ??= computeTotalCount(first, later)),
    async *rows(options) {
      yield* first.rows(options)
      for (const open of later) yield* (await open()).rows(options)
    },
  }
}

async function computeTotalCount(
  { count }: Dataset,
  [open, ...later]: readonly (() => Promise<Dataset>)[],
): Promise<number | undefined> {
  if (open === undefined || count === undefined) return count
  const more = await computeTotalCount(await open(), later)
  return more === undefined ? undefined : count + more
}

/** Concatenates files that are open. */
export function concatenateDatasets(parts: readonly Dataset[]): Dataset {
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first
  const columns = new Map(parts.flatMap(part => part.columns.map(column => [column.name, column] as const)))
  const counts = parts.map(part => part.count)
  const features = Object.assign({}, ...parts.map(part => part.features)) as Features
  return {
    files: parts.flatMap(part => part.files),
    columns: [...columns.values()],
    ...(Object.keys(features).length === 0 ? {} : { features }),
    ...floatsOfAll(parts),
    ...(counts.every(count => count !== undefined) ? { count: counts.reduce((sum, count) => sum + count, 0) } : {}),
    async *rows(options) {
      for (const part of parts) yield* part.rows(options)
    },
  }
}

/** A number is floating-point where it is in any of the files. */
export function floatsOfAll(parts: readonly Pick<Dataset, 'findFloats'>[]): Pick<Dataset, 'findFloats'> {
  if (parts.every(({ findFloats }) => findFloats === undefined)) return {}
  return {
    async findFloats() {
      let fields: FloatFields = {}
      for (const { findFloats } of parts) fields = bothFloats(fields, (await findFloats?.()) ?? {})
      return fields
    },
  }
}

/**
 * Decodes the rows by a schema. The file's own schema overrides the dataset card's.
 *
 * @param isTyped whether the file has typed values, so that only media are decoded
 */
export function decodedDataset(dataset: Dataset, ofCard: Features | undefined, isTyped: boolean): Dataset {
  const features = { ...ofCard, ...dataset.features }
  const names = new Set(dataset.columns.map(({ name }) => name))
  const own = Object.entries(features).filter(([name]) => names.has(name))
  if (own.length === 0) return dataset
  const decoded = Object.fromEntries(own.filter(([, feature]) => !isTyped || holdsMedia(feature)))
  const media = new Set(own.filter(([, feature]) => holdsMedia(feature)).map(([name]) => name))
  const [file = ''] = dataset.files
  return {
    ...dataset,
    features: Object.fromEntries(own),
    findFloats: async () => bothFloats((await dataset.findFloats?.()) ?? {}, collectFloats(Object.fromEntries(own))),
    columns: dataset.columns.map(column => (media.has(column.name) ? { ...column, isMedia: true } : column)),
    ...(Object.keys(decoded).length === 0 ? {} : { rows }),
  }
  async function* rows(options?: { readonly columns?: readonly string[] }): AsyncGenerator<Doc> {
    let index = 0
    for await (const row of dataset.rows(options)) {
      const at = index++
      yield decodedRow(row, decoded, () => `${shownPath(file)}, row ${at}`)
    }
  }
}

/** Adds `filter` and `map` to docs; neither reads ahead. */
export function docList(docs: AsyncIterable<Doc>): DocList {
  return {
    [Symbol.asyncIterator]: () => docs[Symbol.asyncIterator](),
    filter: isKept => docList(filterDocs(docs, isKept)),
    map: change => docList(mapDocs(docs, change)),
  }
}

async function* filterDocs(docs: AsyncIterable<Doc>, isKept: Parameters<DocList['filter']>[0]): AsyncGenerator<Doc> {
  let index = 0
  for await (const doc of docs) if (isKept(doc, index++)) yield doc
}

async function* mapDocs(docs: AsyncIterable<Doc>, change: Parameters<DocList['map']>[0]): AsyncGenerator<Doc> {
  let index = 0
  for await (const doc of docs) yield change(doc, index++)
}

/** The reason why a dataset does not fit a task. The caller adds the line of the task's file. */
export class DatasetProblem extends Error {
  override readonly name = 'DatasetProblem'
  /** The key of the task file that has to be changed. */
  readonly key: 'dataset_path' | 'dataset_name' | 'dataset_kwargs' | 'split'

  constructor(key: DatasetProblem['key'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.key = key
  }
}
