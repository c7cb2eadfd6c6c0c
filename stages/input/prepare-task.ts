import { unwrapLimited, callWatched } from '../../base/time/time-limit.js'
import { PipelineError } from '../../base/errors/errors.js'
import { describeThrown } from '../../cache/code/thrown-position.js'
import { findPythonFunction } from '../../cache/code/python/python-function.js'
import type { DatasetIdentity } from '../../cache/records.js'
import { type Dataset, docList } from './datasets/dataset.js'
import type { FileDigests } from './datasets/locate/file-identities.js'
import { openDataset, chooseSplit, type OpenedDataset } from './datasets/open-dataset.js'
import { openExamples, type ChooseExamples } from './examples.js'
import { makeRenderer, type Renderer } from './render/renderer.js'
import type { Prompting } from './prompting.js'
import { readMedium } from './media/read-medium.js'
import {
  madeByClass,
  mediaOfPython,
  processedByPython,
  findPythonHost,
  wireContext,
  withPython,
} from './python/python-docs.js'
import type { WireContext } from './python/wire-doc.js'
import type { DatasetAccess, Doc, ProcessDocs } from './tasks/doc.js'
import type { Task } from './tasks/task.js'

/** A task whose dataset is open and has the columns that the task needs. */
export interface PreparedTask {
  readonly task: string
  /** Maximum milliseconds of the task's code for one doc. @default the usual limit */
  readonly timeLimit?: number
  readonly dataset: OpenedDataset
  /** The dataset of the examples, if it is another one. */
  readonly exampleData?: OpenedDataset
  readonly renderer: Renderer
  /**
   * Yields the docs in order, after `process_docs`.
   *
   * @param isNeeded whether the doc at an index is rendered. Functions in Python are called for no others.
   */
  docs(isNeeded?: (index: number) => boolean): AsyncIterable<Doc>
  /** Begins a pass of choosing examples for the docs, from the first; absent where no examples are shown. */
  readonly examples?: () => ChooseExamples
  /** The number of docs, where it is known without reading them. */
  readonly count?: number
  /** Finds the number of docs without reading them, by looking into many files. */
  readonly findCount?: () => Promise<number | undefined>
}

/** The number of docs whose columns are collected, because `process_docs` may have added some. */
const probed = 20

/**
 * Opens a task's dataset and verifies that it has the columns that the task needs.
 *
 * @throws PipelineError with the YAML line, where a file or a column is missing or a file is damaged.
 */
export async function prepareTask(task: Task, prompting: Prompting = {}): Promise<PreparedTask> {
  const python = findPythonHost(task)
  const opened = await openDataset(task)
  const dataset: OpenedDataset =
    python === undefined ? opened : { ...opened, media: mediaOfPython(opened.media, python, task.folder) }
  const { process_docs: ref } = task.config
  const floats = isWritten(task) || python !== undefined ? await dataset.findFloats?.() : undefined
  const context = python && wireContext(dataset, python.exchange, floats)
  const names =
    ref === undefined
      ? dataset.columns.map(column => column.name)
      : await probedColumns(task, readDocs(task, dataset, { context }))
  const renderer = makeRenderer(task, names, { ...prompting, ...(floats === undefined ? {} : { floats }) })
  const columns = neededColumns(dataset, renderer)
  let exampleData: OpenedDataset | undefined
  const exampleDocs = async (other: Task): Promise<AsyncIterable<Doc>> => {
    if (other !== task) exampleData = await openDataset(other)
    const source = exampleData ?? dataset
    refuseSharedFiles(task, { evaluated: dataset, source, isOther: chooseSplit(other) !== chooseSplit(task) })
    return readDocs(other, source, { ...(columns && { columns }), context })
  }
  const examples = await openExamples(task, prompting, exampleDocs, docs =>
    context === undefined ? docs : withPython(docs, task, { prompting, context, use: 'example' }),
  )
  return {
    task: task.name,
    ...(task.timeLimit !== undefined && { timeLimit: task.timeLimit }),
    dataset,
    ...(exampleData === undefined ? {} : { exampleData }),
    renderer,
    docs(isNeeded) {
      const docs = readDocs(task, dataset, { ...(columns && { columns }), context })
      return context === undefined
        ? docs
        : withPython(docs, task, { prompting, context, use: 'question', ...(isNeeded && { isNeeded }) })
    },
    ...(examples === undefined ? {} : { examples }),
    ...(dataset.count === undefined || ref !== undefined ? {} : { count: dataset.count }),
    ...(dataset.findCount === undefined || ref !== undefined ? {} : { findCount: dataset.findCount }),
  }
}

/** Prefix for the names of files with examples in a dataset's identity. */
export const examplePrefix = 'examples/'

/**
 * Verifies that the files of a task are unchanged since the plan of its run, and watches them for changes.
 *
 * @throws PipelineError where one of them has changed.
 */
export async function holdFiles(
  { dataset, exampleData }: PreparedTask,
  { files }: DatasetIdentity,
  digests: FileDigests,
): Promise<void> {
  const sources = [
    { opened: dataset, prefix: '' },
    ...(exampleData === undefined ? [] : [{ opened: exampleData, prefix: examplePrefix }]),
  ]
  for (const { opened, prefix } of sources) {
    const namedLocations = await opened.named()
    const knownIdentities = namedLocations.flatMap(([name, location]) => {
      const identity = files[`${prefix}${name}`]
      return identity === undefined ? [] : [[location, identity] as const]
    })
    await opened.watched.expect(new Map(knownIdentities), { files: namedLocations.length, digests })
  }
}

/**
 * Returns whether a text of the prompt, a target or a label comes from a column or template, so that numbers must be
 * printed as Python prints them.
 */
const isWritten = ({ config }: Task): boolean =>
  config.cluster_key !== undefined ||
  (config.breakdown ?? []).length > 0 ||
  [config, config.fewshot_config ?? {}].some(keys =>
    Object.entries(keys).some(
      ([key, value]) => /^doc_to_(text|target|choice)$|^description$/.test(key) && typeof value === 'string',
    ),
  )

/** Yields the docs in order, after `process_docs`, which gets all columns. */
function readDocs(
  task: Task,
  dataset: OpenedDataset,
  { columns, context }: { readonly columns?: readonly string[]; readonly context: WireContext | undefined },
): AsyncIterable<Doc> {
  const { process_docs: ref, class: ofClass, custom_dataset: custom } = task.config
  // The Python class calls `process_docs` itself.
  if (ofClass !== undefined) return madeByClass(dataset.rows())
  const rows = (): AsyncIterable<Doc> => (custom === undefined ? dataset.rows() : madeByClass(dataset.rows()))
  if (ref !== undefined) {
    const callee = unwrapLimited(task.functionOf(ref))
    const python = findPythonFunction(callee)
    if (python !== undefined && context !== undefined)
      return withReason(task, processedByPython(rows(), python, context))
    return runProcessDocs(task, callee as ProcessDocs, dataset)
  }
  return custom === undefined ? dataset.rows(columns === undefined ? {} : { columns }) : rows()
}

/** Rejects examples from the evaluated file, because they would reveal its answers. */
function refuseSharedFiles(
  task: Task,
  { evaluated, source, isOther }: { readonly evaluated: Dataset; readonly source: Dataset; readonly isOther: boolean },
): void {
  const shared = isOther ? source.files.find(file => evaluated.files.includes(file)) : undefined
  if (shared === undefined) return
  throw new PipelineError(
    'config',
    `${task.at(['fewshot_split'])}  num_fewshot: ${shared} is what is evaluated, and would give the examples, too. Give fewshot_config.samples, or a dataset with a split for them`,
  )
}

/**
 * Yields the docs that `process_docs` returns.
 *
 * @throws PipelineError with the YAML line for any error in the function.
 */
function runProcessDocs(task: Task, process: ProcessDocs, dataset: OpenedDataset): AsyncGenerator<Doc> {
  return withReason(task, docsOfCode())
  async function* docsOfCode(): AsyncGenerator<Doc> {
    const docs: unknown = await callWatched(`process_docs (task ${task.name})`, () =>
      process(docList(dataset.rows()), makeDatasetAccess(task, dataset)),
    )
    if (!isIterable(docs)) throw new Error('must give docs, such as an array of objects')
    yield* docs
  }
}

/** Yields the docs, and adds the YAML line to errors. */
async function* withReason(task: Task, docs: AsyncIterable<Doc>): AsyncGenerator<Doc> {
  try {
    yield* docs
  } catch (error) {
    if (error instanceof PipelineError) throw error
    const location = `${task.at(['process_docs'])}  process_docs`
    throw new PipelineError('config', `${location}: ${describeThrown(error)}`, { cause: error })
  }
}

const makeDatasetAccess = (task: Task, { media }: OpenedDataset): DatasetAccess => ({
  read: medium => readMedium(medium, media),
  async *rows({ name, split }) {
    const config = name === undefined ? task.config : { ...task.config, dataset_name: name }
    yield* (await openDataset({ ...task, config }, split)).rows()
  },
})

const isIterable = (value: unknown): value is Iterable<Doc> | AsyncIterable<Doc> =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)

/** Collects the columns of the first docs. @throws PipelineError if `process_docs` returns no docs */
async function probedColumns(task: Task, docs: AsyncIterable<Doc>): Promise<readonly string[]> {
  const names = new Set<string>()
  let docCount = 0
  for await (const doc of docs) {
    for (const name of Object.keys(doc)) names.add(name)
    if (++docCount === probed) break
  }
  if (docCount === 0) throw new PipelineError('dataset', `${task.at(['process_docs'])}  process_docs gives no docs`)
  return [...names]
}

/** Returns the columns to read: media columns that a field needs, and all other columns for the judge. */
function neededColumns(dataset: Dataset, renderer: Renderer): readonly string[] | undefined {
  const { columns } = renderer
  if (columns === undefined) return undefined
  return dataset.columns.filter(({ name, isMedia }) => !isMedia || columns.includes(name)).map(({ name }) => name)
}
