import { PipelineError, messageOf } from '../../base/errors.js'
import { docList } from './datasets/doc-list.js'
import type { Dataset } from './datasets/dataset.js'
import { openDataset } from './datasets/open-dataset.js'
import { makeRenderer, type Renderer } from './render/renderer.js'
import type { Prompting } from './prompting.js'
import type { Doc, ProcessDocs } from './tasks/doc.js'
import type { Task } from './tasks/task.js'

/** A task whose dataset is there and fits it. */
export interface PreparedTask {
  readonly dataset: Dataset
  readonly renderer: Renderer
  /** The docs in order, as `process_docs` leaves them. */
  docs(): AsyncIterable<Doc>
  /** How many docs there are, where that is known without reading them. */
  readonly count?: number
}

/** Docs that are looked at for their columns where code may have added some. */
const probed = 20

/**
 * Opens a task's dataset and verifies that its columns are those that the task asks for.
 *
 * @throws PipelineError with the YAML line, where a file or a column is missing or a file is damaged.
 */
export async function prepareTask(task: Task, prompting: Prompting = {}): Promise<PreparedTask> {
  const dataset = await openDataset(task)
  const { process_docs: ref } = task.config
  if (ref === undefined) {
    const all = dataset.columns.map(column => column.name)
    const renderer = makeRenderer(task, all, prompting)
    const columns = neededColumns(dataset, renderer)
    return {
      dataset,
      renderer,
      docs: () => dataset.rows(columns === undefined ? {} : { columns }),
      ...(dataset.count === undefined ? {} : { count: dataset.count }),
    }
  }
  const process = task.functionOf(ref) as ProcessDocs
  const docs = (): AsyncIterable<Doc> => processed(task, process, dataset)
  return { dataset, renderer: makeRenderer(task, await probedColumns(docs()), prompting), docs }
}

/** What the task's function makes of the docs. @throws PipelineError with the YAML line for whatever is wrong in it. */
async function* processed(task: Task, process: ProcessDocs, dataset: Dataset): AsyncGenerator<Doc> {
  const refuse = (why: string, cause?: unknown): PipelineError =>
    new PipelineError('config', `${task.at(['process_docs'])}  process_docs: ${why}`, { cause })
  try {
    const docs: unknown = await process(docList(dataset.rows()))
    if (!isIterable(docs)) throw refuse('must give docs, such as an array of objects')
    yield* docs
  } catch (error) {
    throw error instanceof PipelineError ? error : refuse(messageOf(error), error)
  }
}

const isIterable = (value: unknown): value is Iterable<Doc> | AsyncIterable<Doc> =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)

async function probedColumns(docs: AsyncIterable<Doc>): Promise<readonly string[]> {
  const names = new Set<string>()
  let seen = 0
  for await (const doc of docs) {
    for (const name of Object.keys(doc)) names.add(name)
    if (++seen === probed) break
  }
  return [...names]
}

/** Media are read only where they are asked for; the judge wants all the rest. */
function neededColumns(dataset: Dataset, renderer: Renderer): readonly string[] | undefined {
  const { columns } = renderer
  if (columns === undefined) return undefined
  return dataset.columns.filter(({ name, isMedia }) => !isMedia || columns.includes(name)).map(({ name }) => name)
}
