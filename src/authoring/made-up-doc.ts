/** Tries the functions of a task without local data on an invented doc. */
import { PipelineError } from '../../base/errors/errors.js'
import type { MediaFiles } from '../../stages/input/datasets/media/media-files.js'
import { processedByPython, findPythonHost, withPython } from '../../stages/input/python/python-docs.js'
import type { WireContext } from '../../stages/input/python/wire-doc.js'
import { isWord } from '../../stages/input/render/field.js'
import { makeRenderer, type Rendered } from '../../stages/input/render/renderer.js'
import { compileTemplate, templatedKeys } from '../../stages/input/render/template.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import { isFunctionRef } from '../../stages/input/tasks/function-ref.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { findPythonFunction } from '../../cache/code/python/python-function.js'
import type { Scorer } from '../../stages/judge/scorer.js'
import { renderedSampleDoc } from './sample-doc.js'
import { triedDoc } from './task-trial.js'

/** The result of a made-up doc: success, a mistake of the task, or no doc that its functions take. */
export type MadeUpTrial =
  | { readonly type: 'built' }
  | { readonly type: 'wrong'; readonly problem: string }
  | { readonly type: 'unfit'; readonly reason: string }

/** Errors that no other doc would avoid. */
const mistakes =
  /\b(NameError|UnboundLocalError|ImportError|ModuleNotFoundError|ReferenceError|internal error)\b|\b(missing|takes) \d+ (required )?(positional|keyword)|is not a function\b/

/** A field that a function asked for and the doc has not. */
const missingField = /KeyError: ["']([^"']+)["']/

/** The maximum number of fields that are added one after the other. */
const mostFields = 40

/** A white picture of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC',
  'base64',
)

const isPicture = (name: string): boolean => /image|picture|figure|photo|visual/i.test(name)

/**
 * Builds one doc with every field that the task's keys and functions read, and scores two answers to it.
 *
 * A function may need values of another form than the invented ones. Then the doc is unfit, which is no problem of the task.
 */
export async function tryMadeUpDoc(task: Task, scorer: Scorer): Promise<MadeUpTrial> {
  const own = await renderedSampleDoc(task)
  if (own !== undefined) return { type: 'built' }
  const fields = new Set(fieldsIn(task))
  for (let added = 0; added <= mostFields; added++) {
    const rendered = await renderMadeUp(task, fields)
    if (rendered.type === 'rendered') return scoredTrial(rendered, task, scorer)
    const missing = missingField.exec(rendered.reason)?.[1]
    if (missing === undefined || fields.has(missing)) return ofReason(rendered.reason)
    fields.add(missing)
  }
  return { type: 'unfit', reason: `its functions ask for more than ${mostFields} fields` }
}

const ofReason = (reason: string): MadeUpTrial =>
  mistakes.test(reason) ? { type: 'wrong', problem: reason } : { type: 'unfit', reason }

async function scoredTrial(
  rendered: Extract<Rendered, { type: 'rendered' }>,
  task: Task,
  scorer: Scorer,
): Promise<MadeUpTrial> {
  const complete = (record: typeof rendered.record) => Promise.resolve(record)
  const { problem } = await triedDoc(
    { ...rendered, messages: [] },
    { task, scorer, media: noFiles, complete, index: 0 },
  )
  // A score may fail for the form of a made-up value, and the doc was built all the same.
  return problem !== undefined && mistakes.test(problem) ? { type: 'wrong', problem } : { type: 'built' }
}

const noFiles: MediaFiles = { locate: () => Promise.resolve(undefined) }

/** The fields that columns and templates of the task name. */
function fieldsIn({ config }: Task): readonly string[] {
  return [config, config.fewshot_config ?? {}].flatMap(keys =>
    templatedKeys.flatMap(key => {
      const value: unknown = Object.entries(keys).find(([name]) => name === key)?.[1]
      const texts = [value].flat().filter(entry => typeof entry === 'string')
      return texts.flatMap(text => (isWord(text) ? [text] : listVariables(text)))
    }),
  )
}

function listVariables(text: string): readonly string[] {
  const { required, optional } = compileTemplate(text).variables
  return [...required, ...optional]
}

async function renderMadeUp(task: Task, fields: ReadonlySet<string>): Promise<Rendered> {
  const host = findPythonHost(task)
  const doc: Doc = Object.fromEntries(
    [...fields].map(name => [name, isPicture(name) ? { bytes: picture, path: null } : 'made up']),
  )
  const features = Object.fromEntries([...fields].filter(isPicture).map(name => [name, { type: 'image' } as const]))
  const context: WireContext | undefined = host && {
    exchange: host.exchange,
    features,
    locate: () => Promise.resolve(undefined),
  }
  try {
    let docs: AsyncIterable<Doc> = one(doc)
    if (context !== undefined) {
      const { process_docs: ref } = task.config
      const python = isFunctionRef(ref) ? findPythonFunction(task.functionOf(ref)) : undefined
      if (python !== undefined) docs = orThis(processedByPython(docs, python, context), doc)
      docs = withPython(docs, task, { prompting: {}, context, use: 'question' })
    }
    for await (const each of docs) return makeRenderer(task, Object.keys(each)).render(each)
    throw new Error('internal error: no doc')
  } catch (error) {
    const isTold = error instanceof PipelineError || (error instanceof Error && error.name === 'PythonError')
    if (!isTold) throw error
    return { type: 'failed', record: { target: null, doc: {} }, reason: error.message }
  }
}

// eslint-disable-next-line @typescript-eslint/require-await -- the interface is asynchronous
async function* one(doc: Doc): AsyncGenerator<Doc> {
  yield doc
}

/** The first of the docs; `instead` where `process_docs` keeps none. */
async function* orThis(docs: AsyncIterable<Doc>, instead: Doc): AsyncGenerator<Doc> {
  for await (const doc of docs) {
    yield doc
    return
  }
  yield instead
}
