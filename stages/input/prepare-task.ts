import type { Dataset } from './datasets/dataset.js'
import { openDataset } from './datasets/open-dataset.js'
import { makeRenderer, type Renderer } from './render/renderer.js'
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
export async function prepareTask(task: Task, model?: string): Promise<PreparedTask> {
  const dataset = await openDataset(task)
  const { process_docs: ref } = task.config
  if (ref === undefined) {
    const all = dataset.columns.map(column => column.name)
    const renderer = makeRenderer(task, all, model)
    const columns = neededColumns(dataset, renderer)
    return {
      dataset,
      renderer,
      docs: () => dataset.rows(columns === undefined ? {} : { columns }),
      ...(dataset.count === undefined ? {} : { count: dataset.count }),
    }
  }
  const process = task.functionOf(ref) as ProcessDocs
  const docs = (): AsyncIterable<Doc> => processed(process, dataset)
  return { dataset, renderer: makeRenderer(task, await probedColumns(docs()), model), docs }
}

async function* processed(process: ProcessDocs, dataset: Dataset): AsyncGenerator<Doc> {
  yield* await process(dataset.rows())
}

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
