/** What Python functions of a task give for its docs, computed in batches before the docs are rendered. */
import { once } from 'node:events'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { PythonError } from '../../../base/processes/python/python-error.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { keepValue, type PythonFunction, pythonOf } from '../../../cache/code/python/python-function.js'
import { hubFolder, type PythonHost } from '../../../cache/code/python/python-runtime.js'
import type { OpenedDataset } from '../datasets/open-dataset.js'
import type { MediaFiles } from '../datasets/media/media-files.js'
import { specificKwargs, targetKwargs } from '../generation.js'
import { isChat, type Prompting } from '../prompting.js'
import { isMultiTurn } from '../rounds/round-rules.js'
import type { Doc } from '../tasks/doc.js'
import { isFunctionRef } from '../tasks/function-ref.js'
import type { Task } from '../tasks/task.js'
import { keepHanded } from './python-rounds.js'
import { fromWire, type HandedOver, type WireContext, wireDoc } from './wire-doc.js'

type Hook = 'doc_to_text' | 'doc_to_visual' | 'doc_to_audio' | 'doc_to_messages' | 'doc_to_target' | 'doc_to_choice'

/** The functions of a prompt, in the order in which lmms-eval calls them. */
const hooks: readonly Hook[] = [
  'doc_to_visual',
  'doc_to_text',
  'doc_to_audio',
  'doc_to_messages',
  'doc_to_target',
  'doc_to_choice',
]

/** Docs as they came from Python, so that they go back as they were. */
const wires = new WeakMap<Doc, Json>()

/** Returns a doc as a Python function gave it; `undefined` for a row of a dataset. */
export const wireOf = (doc: Doc): Json | undefined => wires.get(doc)

/** The Python functions that a prompt of the task needs. */
function functionsOf(task: Task, prompting: Prompting): Partial<Record<Hook, PythonFunction>> {
  const { config } = task
  const hasMessages = config.doc_to_messages !== undefined && isChat(prompting)
  const unused: readonly Hook[] = hasMessages ? ['doc_to_text', 'doc_to_visual', 'doc_to_audio'] : ['doc_to_messages']
  return Object.fromEntries(
    hooks.flatMap(hook => {
      const given = config[hook]
      const found = isFunctionRef(given) && !unused.includes(hook) ? pythonOf(task.functionOf(given)) : undefined
      return found === undefined ? [] : [[hook, found]]
    }),
  )
}

/** The workers of the task's functions in Python; `undefined` if it has none that make prompts or docs. */
export function pythonHostOf(task: Task): PythonHost | undefined {
  const given = [...hooks.map(hook => task.config[hook]), task.config.process_docs, task.config.class]
  for (const value of given) {
    const found = isFunctionRef(value) ? pythonOf(task.functionOf(value)) : undefined
    if (found !== undefined) return found.host
  }
  return undefined
}

/** The number of docs in the first batch. Each next batch has twice as many. */
const firstDocs = 16
const mostDocs = 256

/**
 * Yields docs whose Python functions were called, so that they can be rendered at once.
 *
 * @param isNeeded whether the doc at an index is rendered
 */
export async function* withPython(
  docs: AsyncIterable<Doc>,
  task: Task,
  options: {
    readonly prompting: Prompting
    readonly context: WireContext
    readonly isNeeded?: (index: number) => boolean
  },
): AsyncGenerator<Doc> {
  const { prompting, context, isNeeded = () => true } = options
  const used = functionsOf(task, prompting)
  if (Object.keys(used).length === 0) {
    yield* docs
    return
  }
  let batch: Doc[] = []
  let needed: Doc[] = []
  let most = firstDocs
  let index = 0
  for await (const doc of docs) {
    batch.push(doc)
    if (isNeeded(index++)) needed.push(doc)
    if (needed.length < most && batch.length < 4 * mostDocs) continue
    await callAll(needed, task, used, { prompting, context })
    yield* batch
    ;[batch, needed, most] = [[], [], Math.min(mostDocs, 2 * most)]
  }
  await callAll(needed, task, used, { prompting, context })
  yield* batch
}

async function callAll(
  docs: readonly Doc[],
  task: Task,
  used: Partial<Record<Hook, PythonFunction>>,
  { prompting, context }: { readonly prompting: Prompting; readonly context: WireContext },
): Promise<void> {
  if (docs.length === 0) return
  const { models = [] } = prompting
  const functions = Object.entries(used)
  const [[, first] = []] = functions
  if (first === undefined) return
  const { pool } = first.host
  const files: HandedOver = new Map()
  const wired: Json[] = []
  for (const doc of docs) {
    const wire = wireOf(doc) ?? (await wireDoc(doc, context, files))
    wired.push(wire)
    if (isMultiTurn(task)) keepHanded(doc, { wire, files })
  }
  const { config } = task
  const rendered = await pool.render({
    hooks: Object.fromEntries(functions.map(([hook, { ref }]) => [hook, ref])),
    kwargs: (config.lmms_eval_specific_kwargs === undefined ? null : specificKwargs(config, models)) as Json,
    targetKwargs: (targetKwargs(config, models) ?? null) as Json,
    docs: wired,
    labels: docs.map((doc, at) => `${task.name}/${labelOf(doc, at)}`),
  })
  for (const [at, doc] of docs.entries())
    for (const [hook, python] of functions) {
      const result = rendered[at]?.[hook as Hook]
      keepValue(doc, python, () => {
        if (result === undefined) throw new Error(`internal error: ${python.name} was not called`)
        if ('error' in result) throw new PythonError(result.error)
        return fromWire(result.ok, files)
      })
    }
  const made = [...files.keys()].filter(path => path.startsWith(`${context.exchange}${sep}`))
  await Promise.all(made.map(path => rm(path, { force: true })))
}

const labelOf = (doc: Doc, at: number): string => {
  const id = doc['id'] ?? doc['question_id'] ?? doc['index']
  return typeof id === 'string' || typeof id === 'number' ? String(id) : `doc ${at} of a batch`
}

/** Yields the docs that a task's `process_docs` in Python makes of the dataset's rows. */
export async function* processedByPython(
  rows: AsyncIterable<Doc>,
  { ref, host }: PythonFunction,
  context: WireContext,
): AsyncGenerator<Doc> {
  const files: HandedOver = new Map()
  const name = join(host.exchange, `docs-${process.pid}-${++passes}`)
  const [input, output] = [`${name}.in.jsonl`, `${name}.out.jsonl`]
  const sink = createWriteStream(input)
  for await (const row of rows)
    if (!sink.write(`${JSON.stringify(await wireDoc(row, context, files))}\n`)) await once(sink, 'drain')
  sink.end()
  await once(sink, 'close')
  await host.pool.processDocs({ ref, input, output })
  await rm(input, { force: true })
  try {
    for await (const line of createInterface({ input: createReadStream(output), crlfDelay: Infinity })) {
      const wire = JSON.parse(line) as Json
      const doc = fromWire(wire, files) as Doc
      wires.set(doc, wire)
      yield doc
    }
  } finally {
    await rm(output, { force: true })
  }
}

/** Yields the docs that a class in Python made. Their rows are in wire form. */
export async function* madeByClass(rows: AsyncIterable<Doc>): AsyncGenerator<Doc> {
  for await (const row of rows) {
    const doc = fromWire(row as Json, new Map()) as Doc
    wires.set(doc, row as Json)
    yield doc
  }
}

let passes = 0

/** Media that Python functions name lie in the exchange folder, or in the folder of the Hub's datasets. */
export function mediaOfPython(media: MediaFiles, exchange: string, taskFolder: string): MediaFiles {
  const folders = [exchange, taskFolder, hubFolder()]
  return {
    async locate(name) {
      const isOwn = isAbsolute(name) && folders.some(folder => name.startsWith(`${folder}${sep}`))
      if (isOwn && statSync(name, { throwIfNoEntry: false })?.isFile() === true) return name
      return media.locate(name)
    },
    isTemporary: path => path.startsWith(`${exchange}${sep}`),
  }
}

/** The context in which docs of a dataset are handed to Python. */
export function wireContext(dataset: OpenedDataset, exchange: string, floats: WireContext['floats']): WireContext {
  return {
    exchange,
    locate: name => dataset.media.locate(name),
    ...(dataset.features === undefined ? {} : { features: dataset.features }),
    ...(floats === undefined ? {} : { floats }),
  }
}
