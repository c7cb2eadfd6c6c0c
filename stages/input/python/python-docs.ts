/** Computes the values that Python functions of a task return for its docs, in batches before the docs are rendered. */
import { isFileSync } from '../../../base/files/path-kinds.js'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { isAbsolute, join, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { PythonError } from '../../../cache/code/python/python-error.js'
import type { PythonHook } from '../../../cache/code/python/python-types.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { keepValue, type PythonFunction, findPythonFunction } from '../../../cache/code/python/python-function.js'
import type { PythonHost } from '../../../cache/code/python/python-runtime.js'
import type { OpenedDataset } from '../datasets/open-dataset.js'
import type { MediaFiles } from '../datasets/media/media-files.js'
import { specificKwargs, targetKwargs } from '../generation.js'
import { isChat, type Prompting } from '../prompting.js'
import { isMultiTurn } from '../rounds/round-rules.js'
import type { Doc } from '../tasks/doc.js'
import { isFunctionRef } from '../tasks/function-ref.js'
import type { Task } from '../tasks/task.js'
import { keepHanded } from './python-rounds.js'
import { fromWire, type HandedOver, printedFromWire, type WireContext, wireDoc } from './wire-doc.js'

/** The functions of a prompt, in lmms-eval's order of calls. lmms-eval does not have the last two. */
const hooks: readonly PythonHook[] = [
  'doc_to_visual',
  'doc_to_text',
  'doc_to_audio',
  'doc_to_messages',
  'doc_to_target',
  'doc_to_choice',
  'description',
  'gen_prefix',
]

const printedHooks: readonly PythonHook[] = ['doc_to_target', 'doc_to_choice']

/** The use of a doc. `fewshot_config` may replace functions for examples. */
export type DocUse = 'question' | 'example'

/** The original wire form of docs from Python, in which they are passed back. */
const wires = new WeakMap<Doc, Json>()

/** Returns the wire form of a doc that a Python function made, or `undefined` for a row of a dataset. */
export const findWire = (doc: Doc): Json | undefined => wires.get(doc)

/** Returns the configured value of a prompt function. */
function givenFor(hook: PythonHook, { config }: Task, use: DocUse): unknown {
  const examples: Readonly<Record<string, unknown>> = use === 'example' ? (config.fewshot_config ?? {}) : {}
  return examples[hook] ?? config[hook]
}

/** Finds the Python functions that a prompt of the task needs. */
function findPromptFunctions(
  task: Task,
  prompting: Prompting,
  use: DocUse,
): Partial<Record<PythonHook, PythonFunction>> {
  const hasMessages = task.config.doc_to_messages !== undefined && isChat(prompting)
  const unused: readonly PythonHook[] = hasMessages
    ? ['doc_to_text', 'doc_to_visual', 'doc_to_audio', 'description']
    : ['doc_to_messages']
  return Object.fromEntries(
    hooks.flatMap(hook => {
      const value = givenFor(hook, task, use)
      const pythonFunction =
        isFunctionRef(value) && !unused.includes(hook) ? findPythonFunction(task.functionOf(value)) : undefined
      return pythonFunction === undefined ? [] : [[hook, pythonFunction]]
    }),
  )
}

/** Finds the workers of the task's Python functions. Returns `undefined` if no function makes prompts or docs. */
export function findPythonHost(task: Task): PythonHost | undefined {
  const { process_docs, class: ofClass, custom_dataset: custom, fewshot_config: examples } = task.config
  const prompts = (['question', 'example'] as const).flatMap(use => hooks.map(hook => givenFor(hook, task, use)))
  for (const value of [...prompts, process_docs, ofClass, custom, examples?.process_docs, examples?.samples]) {
    const pythonFunction = isFunctionRef(value) ? findPythonFunction(task.functionOf(value)) : undefined
    if (pythonFunction !== undefined) return pythonFunction.host
  }
  return undefined
}

/** The number of docs in the first batch. Each next batch has twice as many. */
const firstDocs = 16
const mostDocs = 256

/**
 * Calls a task's Python functions for docs in batches, and yields docs that can be rendered synchronously.
 *
 * @param isNeeded whether the doc at an index is rendered
 */
export async function* withPython(
  docs: AsyncIterable<Doc>,
  task: Task,
  options: {
    readonly prompting: Prompting
    readonly context: WireContext
    readonly use: DocUse
    readonly isNeeded?: (index: number) => boolean
  },
): AsyncGenerator<Doc> {
  const { prompting, context, use, isNeeded = () => true } = options
  const used = findPromptFunctions(task, prompting, use)
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
  used: Partial<Record<PythonHook, PythonFunction>>,
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
    const wire = findWire(doc) ?? (await wireDoc(doc, context, files))
    wired.push(wire)
    if (isMultiTurn(task)) keepHanded(doc, { wire, files })
  }
  const { config } = task
  const rendered = await pool.render({
    hooks: Object.fromEntries(functions.map(([hook, { ref }]) => [hook, ref])),
    kwargs: (config.lmms_eval_specific_kwargs === undefined ? null : specificKwargs(config, models)) as Json,
    targetKwargs: (targetKwargs(config, models) ?? null) as Json,
    docs: wired,
    labels: docs.map((doc, at) => `${task.name}/${formatDocLabel(doc, at)}`),
  })
  for (const [at, doc] of docs.entries())
    for (const [hook, python] of functions) {
      const result = rendered[at]?.[hook as PythonHook]
      keepValue(doc, python, () => {
        if (result === undefined) throw new Error(`internal error: ${python.name} was not called`)
        if ('error' in result) throw new PythonError(result.error)
        return printedHooks.includes(hook as PythonHook)
          ? printedFromWire(result.ok, files)
          : fromWire(result.ok, files)
      })
    }
  const exchangePaths = [...files.keys()].filter(path => path.startsWith(`${context.exchange}${sep}`))
  await Promise.all(exchangePaths.map(path => rm(path, { force: true })))
}

const formatDocLabel = (doc: Doc, at: number): string => {
  const id = doc['id'] ?? doc['question_id'] ?? doc['index']
  return typeof id === 'string' || typeof id === 'number' ? String(id) : `doc ${at} of a batch`
}

/** Applies a task's Python `process_docs` to the dataset's rows, and yields the docs. */
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
    if (!sink.write(`${JSON.stringify(findWire(row) ?? (await wireDoc(row, context, files)))}\n`))
      await once(sink, 'drain')
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

/** Yields the docs of a Python class or function from rows in wire form. */
export async function* madeByClass(rows: AsyncIterable<Doc>): AsyncGenerator<Doc> {
  for await (const row of rows) yield docOfPython(row as Json)
}

/**
 * Returns the examples of a Python list or function.
 *
 * @throws PythonError if the function fails
 */
export async function samplesByPython({ ref, host }: PythonFunction): Promise<readonly Doc[]> {
  return (await host.pool.samples(ref)).map(docOfPython)
}

function docOfPython(wire: Json): Doc {
  const doc = fromWire(wire, new Map()) as Doc
  wires.set(doc, wire)
  return doc
}

let passes = 0

/** Makes the media access for names that Python functions return. Such files are in the exchange folder, or in the folder of Hub datasets. */
export function mediaOfPython(
  media: MediaFiles,
  { exchange, hubFolder }: Pick<PythonHost, 'exchange' | 'hubFolder'>,
  taskFolder: string,
): MediaFiles {
  const folders = [exchange, taskFolder, hubFolder]
  return {
    async locate(name, signal) {
      // A row may name a path with `..`, which begins like one of the folders and leads out of it.
      const path = resolve(name)
      const isOwn = isAbsolute(name) && folders.some(folder => path.startsWith(`${folder}${sep}`))
      if (isOwn && isFileSync(path)) return path
      return media.locate(name, signal)
    },
    isTemporary: path => resolve(path).startsWith(`${exchange}${sep}`),
  }
}

/** Makes the context for the conversion of docs to Python. */
export function wireContext(dataset: OpenedDataset, exchange: string, floats: WireContext['floats']): WireContext {
  return {
    exchange,
    locate: name => dataset.media.locate(name),
    ...(dataset.features === undefined ? {} : { features: dataset.features }),
    ...(floats === undefined ? {} : { floats }),
  }
}
