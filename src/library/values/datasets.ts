import { checkFields } from '../../../base/errors/check-fields.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { isSchemaIssue, pathText, schemaMistakes, type SchemaMistake } from '../../../base/errors/schema-mistakes.js'
import { valueKind } from '../../../base/values/value-kind.js'
import type { JsonObject } from '../../../cache/records.js'
import type { DocList } from '../../../stages/input/tasks/doc.js'
import { fields, kinds } from '../options/check-options.js'
import { readSpooled, type RowSource } from '../../../stages/input/datasets/spooled-rows.js'

const datasetBrand: unique symbol = Symbol.for('pipeline.dataset')

/** A row of a file, by column. */
export type Row = Readonly<Record<string, unknown>>

/** Any schema library's schema, by the common interface of zod, valibot and arktype (standardschema.dev). */
export interface StandardSchema<Output> {
  readonly '~standard': {
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
  }
}

/** The result of a schema in the form of Standard Schema: a value, or issues. */
export type SchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] }

/** A mistake that a schema found, with the path of the field. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A source of docs and the steps that are applied to them. Reading begins when a run starts. */
export interface DatasetValue<Doc> {
  readonly [datasetBrand]: true
  readonly kind: 'dataset'
  /** Keys of a task file that say where the data are. */
  readonly keys: JsonObject
  /** The rows themselves, if they are not in a file. */
  readonly rows?: RowSource
  /** Converts rows to docs. Absent if they are the same. */
  readonly read?: (rows: AsyncIterable<Row>) => AsyncIterable<Doc>
  /** Keeps only docs for which the function returns true. */
  filter(isKept: (doc: Doc, index: number) => boolean): DatasetValue<Doc>
  map<Next>(change: (doc: Doc, index: number) => Next | Promise<Next>): DatasetValue<Next>
}

/** Options of every dataset. */
export interface DatasetOptions<Doc> {
  /** Checks each row and gives docs their type. An invalid row ends the run, with its number and field. */
  readonly schema?: StandardSchema<Doc>
}

/** Selects a configuration and split of a dataset. */
export interface SplitOptions<Doc> extends DatasetOptions<Doc> {
  /** @default 'test' */
  readonly split?: string
  /** The name of a configuration. */
  readonly config?: string
}

/** Reads docs from a JSON Lines file. Paths are relative to the task's file. */
export function jsonl<Doc = Row>(path: string, options: DatasetOptions<Doc> = {}): DatasetValue<Doc> {
  checkSource(path, options)
  return dataset({ dataset_path: path }, options)
}

/** Reads docs from a CSV file. The first line names the columns. */
export function csv<Doc = Row>(
  path: string,
  options: DatasetOptions<Doc> & { readonly delimiter?: string } = {},
): DatasetValue<Doc> {
  checkSource(path, options, ['delimiter'])
  const { delimiter } = options
  return dataset({ dataset_path: path, ...(delimiter === undefined ? {} : { dataset_kwargs: { delimiter } }) }, options)
}

/** Reads docs from a Parquet file. Media columns have `{ bytes, path }`. */
export const parquet = <Doc = Row>(path: string, options: DatasetOptions<Doc> = {}): DatasetValue<Doc> =>
  jsonl(path, options)

/**
 * Reads docs from a repository of the Hugging Face Hub. A run keeps the commit that it started with.
 *
 * @param options `revision`: a branch, tag or commit. @default the newest commit of the main branch
 */
export function hub<Doc = Row>(
  repository: string,
  options: SplitOptions<Doc> & { readonly revision?: string } = {},
): DatasetValue<Doc> {
  checkSource(repository, options, ['split', 'config', 'revision'])
  const { split = 'test', config, revision } = options
  return dataset(
    {
      dataset_path: repository,
      test_split: split,
      ...(config === undefined ? {} : { dataset_name: config }),
      ...(revision === undefined ? {} : { dataset_kwargs: { revision } }),
    },
    options,
  )
}

/**
 * Uses docs that the program has: a list, an iterable, or a function that returns one. Their content identifies them. Values must be JSON or bytes.
 */
export function rows<Doc extends object>(
  source: Iterable<Doc> | AsyncIterable<Doc> | (() => Iterable<Doc> | AsyncIterable<Doc>),
): DatasetValue<Doc> {
  const value: unknown = source
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null))
    throw new PipelineError('usage', `rows: expected a list, an iterable or a function, given ${valueKind(value)}`)
  return makeDataset<Doc>({}, source as RowSource, docs => mapDocs(docs, row => readSpooled(row) as Doc))
}

/** @throws PipelineError (usage) if a path is no text, or an option does not exist */
function checkSource(path: string, options: object, names: readonly string[] = []): void {
  const optionFields = Object.fromEntries(names.map(name => [name, fields.text]))
  checkFields({ path, ...options }, { path: kinds.text, schema: fields.any, ...optionFields }, { label: 'dataset' })
}

/** Returns whether a value is a dataset that the library made. */
export const isDatasetValue = (value: unknown): value is DatasetValue<unknown> =>
  typeof value === 'object' && value !== null && datasetBrand in value

function dataset<Doc>(keys: JsonObject, { schema }: DatasetOptions<Doc>): DatasetValue<Doc> {
  const path = typeof keys['dataset_path'] === 'string' ? keys['dataset_path'] : ''
  return makeDataset(
    keys,
    undefined,
    schema === undefined
      ? undefined
      : docs => mapDocs(docs, (row, index) => checkRow(schema, row, `${path}: row ${index}`)),
  )
}

function makeDataset<Doc>(
  keys: JsonObject,
  source: RowSource | undefined,
  read: DatasetValue<Doc>['read'],
): DatasetValue<Doc> {
  // Without a schema, docs have the type that the caller names.
  const docs = read ?? (list => list as AsyncIterable<Doc>)
  return {
    [datasetBrand]: true,
    kind: 'dataset',
    keys,
    ...(source === undefined ? {} : { rows: source }),
    ...(read === undefined ? {} : { read }),
    filter: isKept => makeDataset(keys, source, list => filterDocs(docs(list), isKept)),
    map: change => makeDataset(keys, source, list => mapDocs(docs(list), change)),
  }
}

async function* mapDocs<Doc, Next>(
  docs: AsyncIterable<Doc>,
  change: (doc: Doc, index: number) => Next | Promise<Next>,
): AsyncGenerator<Next> {
  let index = 0
  for await (const doc of docs) yield change(doc, index++)
}

async function* filterDocs<Doc>(
  docs: AsyncIterable<Doc>,
  isKept: (doc: Doc, index: number) => boolean,
): AsyncGenerator<Doc> {
  let index = 0
  for await (const doc of docs) if (isKept(doc, index++)) yield doc
}

/** Words an issue of zod. Other schema libraries word their own. */
function listMistakes(issue: SchemaIssue, row: Row): readonly Pick<SchemaMistake, 'path' | 'text'>[] {
  if (isSchemaIssue(issue)) return schemaMistakes([issue], row)
  const { path = [], message } = issue
  return [{ path: path.map(step => (typeof step === 'object' ? step.key : step)), text: message }]
}

async function checkRow<Doc>({ '~standard': schema }: StandardSchema<Doc>, row: Row, location: string): Promise<Doc> {
  const result = await schema.validate(row)
  if (result.issues === undefined) return result.value
  throw new PipelineError(
    'dataset',
    result.issues
      .flatMap(issue => listMistakes(issue, row))
      .map(({ path, text }) => {
        const field = pathText(path)
        return `${location}${field === '' ? '' : `, field ${field}`}: ${text}`
      }),
  )
}

/** The `process_docs` of a task file that applies a dataset's steps, or nothing if it has none. */
export const processDocs = ({
  read,
}: DatasetValue<unknown>): ((docs: DocList) => AsyncIterable<unknown>) | undefined =>
  read === undefined ? undefined : docs => read(docs)
