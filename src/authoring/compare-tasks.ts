/** Compares two tasks: keys of their files, code, data, and the prompt of a doc. */
import { canonicalJson, isObject, type Json } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import { digestOfFile } from '../../cache/file-pieces.js'
import type { DatasetIdentity } from '../../cache/records.js'
import { datasetIdentity } from '../../stages/input/datasets/open-dataset.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { makeDataKey } from '../reading/comparing/asked-differences.js'
import { renderDocRequest, type DocRequest } from './doc-request.js'

/** A key with its values in both tasks. Undefined if a task does not have it. */
export interface TaskDifference {
  /** The path of the key, such as `generation_kwargs.max_new_tokens`. */
  readonly key: string
  readonly a: Json | undefined
  readonly b: Json | undefined
}

/** The differences of two tasks. */
export interface TaskComparison {
  readonly a: string
  readonly b: string
  readonly keys: readonly TaskDifference[]
  /** Files of code that differ, or that only one task has. */
  readonly code: readonly string[]
  /** Files of data that differ, or that only one task has. */
  readonly data: readonly string[]
  /** True if requests differ: a task with another prompt asks everything anew. */
  readonly isPromptChanged: boolean
  /** The doc as both tasks ask it, or the reason why it cannot be rendered. */
  readonly docs: readonly [DocRequest | string, DocRequest | string]
}

/**
 * Compares two tasks.
 *
 * @param doc the id or index of the doc whose prompts are compared. @default '0'
 */
export async function compareTasks(a: Task, b: Task, doc = '0'): Promise<TaskComparison> {
  const [first, second] = [flattenConfig(a), flattenConfig(b)]
  const keys = [...new Set([...first.keys(), ...second.keys()])].flatMap((key): readonly TaskDifference[] => {
    const [own, other] = [first.get(key), second.get(key)]
    const isSame = own !== undefined && other !== undefined && canonicalJson(own) === canonicalJson(other)
    return isSame ? [] : [{ key, a: own, b: other }]
  })
  const files = new Set([...Object.keys(a.closure), ...Object.keys(b.closure)])
  const docs = [
    await tryReading(() => renderDocRequest(a, doc)),
    await tryReading(() => renderDocRequest(b, doc)),
  ] as const
  return {
    a: a.name,
    b: b.name,
    keys,
    code: [...files].filter(file => a.closure[file] !== b.closure[file]),
    data: await listOtherData(a, b),
    isPromptChanged: describeInput(docs[0]) !== describeInput(docs[1]),
    docs,
  }
}

/** Data that cannot be read are left out: the doc says why. */
async function listOtherData(a: Task, b: Task): Promise<readonly string[]> {
  const [own, other] = [await tryReading(() => identifyData(a)), await tryReading(() => identifyData(b))]
  if (typeof own === 'string' || typeof other === 'string') return []
  if (makeDataKey({ dataset: own }) === makeDataKey({ dataset: other })) return []
  const names = [...new Set([...Object.keys(own.files), ...Object.keys(other.files)])]
  const differing = names.filter(name => own.files[name] !== other.files[name])
  return differing.length === 0 ? [...new Set([own.path, other.path])] : differing
}

const identifyData = (task: Task): Promise<DatasetIdentity> =>
  datasetIdentity(task, { digest: digestOfFile, knownDigest: () => Promise.resolve(undefined) })

const describeInput = (doc: DocRequest | string): string =>
  typeof doc === 'string' ? doc : JSON.stringify([doc.input, doc.generation, doc.continuations])

/** The keys of a task's file with their paths. Lists are values as a whole. */
function flattenConfig({ config }: Task): ReadonlyMap<string, Json> {
  const valuesByPath = new Map<string, Json>()
  const visit = (value: Json, path: string): void => {
    if (isObject(value) && Object.keys(value).length > 0)
      for (const [name, inner] of Object.entries(value)) visit(inner ?? null, path === '' ? name : `${path}.${name}`)
    else if (path !== 'task') valuesByPath.set(path, value)
  }
  visit(JSON.parse(JSON.stringify(config)) as Json, '')
  return valuesByPath
}

/** Returns what was read, or the reason why it cannot be read. */
async function tryReading<Read>(read: () => Promise<Read>): Promise<Read | string> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    return error.said[0] ?? error.message
  }
}
