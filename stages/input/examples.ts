import { isDeepStrictEqual } from 'node:util'
import { PipelineError, messageOf } from '../../base/errors/errors.js'
import { pythonRandom } from '../../base/python/python-random.js'
import { sampleIndices } from '../../base/python/python-random.js'
import { chooseSplit } from './datasets/open-dataset.js'
import { resolveNumFewshot, type Prompting } from './prompting.js'
import { findPythonFunction } from '../../cache/code/python/python-function.js'
import { samplesByPython } from './python/python-docs.js'
import { atOnce } from './render/field.js'
import type { Doc } from './tasks/doc.js'
import { isFunctionRef } from './tasks/function-ref.js'
import type { Task } from './tasks/task.js'

/** Chooses the examples for a doc. Call it for every doc in order, because all draws come from one random generator. */
export type ChooseExamples = (doc: Doc) => readonly Doc[]

/** The default of lmms-eval. */
const usualSeed = 1234
/** The number of spare docs that replace equal docs among the first ones. */
const spares = 16
/** Maximum bytes of the docs in memory to draw from. */
const poolBytes = 512 * 2 ** 20

/**
 * The source of examples: the task's own `samples`, or docs of a split. `split` is absent where the dataset has only
 * one.
 */
export type ExampleSource = { readonly type: 'samples' } | { readonly type: 'split'; readonly split?: string }

/** Returns `undefined` where no examples are shown. */
export function exampleSource(task: Task, prompting: Prompting = {}): ExampleSource | undefined {
  const { config } = task
  if (resolveNumFewshot(task, prompting) === 0) return undefined
  const { samples, split: own } = config.fewshot_config ?? {}
  if (samples !== undefined && own === undefined) return { type: 'samples' }
  const split = own ?? config.fewshot_split ?? config.training_split ?? config.validation_split ?? config.test_split
  return { type: 'split', ...(split === undefined ? {} : { split }) }
}

/** Returns a copy of the task that reads the docs of its examples. */
export function exampleTask(task: Task, split: string | undefined): Task {
  const process = task.config.fewshot_config?.process_docs
  if (split === undefined && process === undefined) return task
  const own = { ...(split === undefined ? {} : { test_split: split }), ...(process && { process_docs: process }) }
  return { ...task, config: { ...task.config, ...own } }
}

/**
 * Opens the docs that examples are taken from, with lmms-eval's samplers. `default` draws for each doc with `random.Random(seed).sample`. `first_n`
 * takes the first docs. A doc never gets itself or an equal doc as example, also if the other one has another id. Unlike lmms-eval, another doc replaces it, so that all docs get the same
 * number of examples.
 *
 * @param docsOf opens the docs of a split of the task
 * @param withCode yields docs whose functions in Python were called
 * @returns a function that begins one pass over the task's docs, or `undefined` without examples
 * @throws PipelineError with the YAML line, if there are too few or too many docs to draw from
 */
export async function openExamples(
  task: Task,
  prompting: Prompting,
  docsOf: (task: Task) => Promise<AsyncIterable<Doc>>,
  withCode: (docs: AsyncIterable<Doc>) => AsyncIterable<Doc> = docs => docs,
): Promise<(() => ChooseExamples) | undefined> {
  const source = exampleSource(task, prompting)
  if (source === undefined) return undefined
  const numFewshot = resolveNumFewshot(task, prompting)
  const size = mayBeDrawn(task, source) ? numFewshot + 1 : numFewshot
  const { sampler, fewshot_indices: indices } = task.config.fewshot_config ?? {}
  const isFirst = sampler === 'first_n'
  const enough = indices !== undefined ? Math.max(...indices) + 1 : isFirst ? size + spares : Infinity
  const docs = source.type === 'samples' ? ownSamples(task) : await docsOf(exampleTask(task, source.split))
  const poolDocs = await collectPool(task, withCode(docs), enough)
  const pool = indices === undefined ? poolDocs : chosenByIndex(task, poolDocs, indices)
  if (pool.length < size) throw tooFew(task, { numFewshot, size, found: pool.length, source })
  const isOwn = isByPosition(task, source)
  const first = Array.from({ length: size }, (_, index) => index)
  let isTold = false
  const tellFewer = (count: number): void => {
    const text = `${task.name}: num_fewshot is ${numFewshot}, and some docs get ${count} or fewer examples, since the other docs of the pool equal them`
    if (!isTold) task.access?.emit({ type: 'note', text })
    isTold = true
  }
  const otherDocs = (doc: Doc, position: number, drawn: readonly number[]): readonly Doc[] => {
    const isItself = (index: number): boolean => isOwn && (indices?.[index] ?? index) === position
    const own = withoutNames(doc)
    const isEqual = (index: number): boolean => isItself(index) || isDeepStrictEqual(withoutNames(pool[index]), own)
    const chosenIndices = drawn.filter(index => !isEqual(index)).slice(0, numFewshot)
    // An equal doc would reveal the answer, so the next docs replace it.
    for (let index = 0; chosenIndices.length < numFewshot && index < pool.length; index++)
      if (!drawn.includes(index) && !isEqual(index)) chosenIndices.push(index)
    if (chosenIndices.length < numFewshot) tellFewer(chosenIndices.length)
    return chosenIndices.map(index => pool[index]).filter(example => example !== undefined)
  }
  return () => {
    let position = -1
    if (isFirst) return doc => otherDocs(doc, ++position, first)
    const random = pythonRandom(prompting.seed ?? usualSeed)
    return doc => otherDocs(doc, ++position, sampleIndices(random, pool.length, size))
  }
}

/** Columns that name a doc. Two docs that differ only in these show the same question and answer. */
const nameColumns = new Set(['id', 'question_id', 'doc_id', 'index', 'idx', 'qid', 'uid', 'guid'])

/** The doc without the columns that name it, if others hold anything. */
function withoutNames(doc: Doc | undefined): Doc | undefined {
  const rest = Object.entries(doc ?? {}).filter(([name]) => !nameColumns.has(name))
  return rest.some(([, value]) => value !== null && value !== undefined && value !== '')
    ? Object.fromEntries(rest)
    : doc
}

/** Tells whether examples are drawn from the evaluated docs. A doc is then recognised by its position. */
function isByPosition(task: Task, source: ExampleSource): boolean {
  const isSame = source.type === 'split' && (source.split === undefined || source.split === chooseSplit(task))
  return isSame && task.config.fewshot_config?.process_docs === undefined
}

/**
 * Tells whether the doc itself may be drawn, so that one more doc is drawn. Like lmms-eval, it compares the two split keys, and two absent keys are
 * equal. Any other rule would draw other examples.
 */
function mayBeDrawn(task: Task, source: ExampleSource): boolean {
  const { fewshot_split: own, test_split: test, fewshot_config: config } = task.config
  const exampleSplit = config?.split ?? own
  return source.type === 'split' && (exampleSplit === test || source.split === chooseSplit(task))
}

function chosenByIndex(task: Task, docs: readonly Doc[], indices: readonly number[]): readonly Doc[] {
  return indices.map((index, at) => {
    const doc = docs[index]
    if (doc !== undefined) return doc
    const location = task.at(['fewshot_config', 'fewshot_indices', at])
    throw new PipelineError(
      'config',
      `${location}  fewshot_config.fewshot_indices: there is no doc ${index}, but ${docs.length} docs`,
    )
  })
}

async function* ownSamples(task: Task): AsyncGenerator<Doc> {
  const samples = task.config.fewshot_config?.samples
  if (!isFunctionRef(samples)) {
    yield* samples ?? []
    return
  }
  const refuse = (why: string, cause?: unknown): PipelineError =>
    new PipelineError('config', `${task.at(['fewshot_config', 'samples'])}  fewshot_config.samples: ${why}`, { cause })
  let docs: unknown
  try {
    const callee = task.functionOf(samples)
    const python = findPythonFunction(callee)
    docs = python === undefined ? atOnce(callee()) : await samplesByPython(python)
  } catch (error) {
    throw refuse(messageOf(error), error)
  }
  if (!Array.isArray(docs)) throw refuse('the function must give a list of docs')
  yield* docs as readonly Doc[]
}

async function collectPool(task: Task, docs: AsyncIterable<Doc>, enough: number): Promise<readonly Doc[]> {
  const pool: Doc[] = []
  let bytes = 0
  for await (const doc of docs) {
    pool.push(doc)
    bytes += bytesIn(doc)
    if (pool.length >= enough) break
    if (bytes > poolBytes)
      throw new PipelineError(
        'config',
        `${task.at(['fewshot_split'])}  fewshot_split: more than ${poolBytes / 2 ** 20} MB of docs to draw examples from; take fewshot_config {sampler: first_n}, or samples`,
      )
  }
  return pool
}

function bytesIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (value instanceof Uint8Array) return value.byteLength
  if (typeof value !== 'object' || value === null) return 8
  return Object.values(value).reduce((sum: number, item: unknown) => sum + bytesIn(item), 0)
}

function tooFew(
  task: Task,
  { numFewshot, size, found, source }: { numFewshot: number; size: number; found: number; source: ExampleSource },
): PipelineError {
  const location =
    source.type === 'samples'
      ? 'fewshot_config.samples has'
      : source.split === undefined
        ? 'the dataset has'
        : `the split "${source.split}" has`
  return new PipelineError(
    'config',
    `${task.at(['num_fewshot'])}  num_fewshot: ${numFewshot} needs ${size.toLocaleString('en')} docs; ${location} ${found.toLocaleString('en')}`,
  )
}
