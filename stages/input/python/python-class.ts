/** The docs that a class in Python makes in its `download`, or a function in Python (`custom_dataset`). */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PythonError, pythonErrorText } from '../../../cache/code/python/python-error.js'
import { importSeconds } from '../../../cache/code/python/worker-messages.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { type PythonFunction, findPythonFunction } from '../../../cache/code/python/python-function.js'
import { DatasetProblem } from '../datasets/dataset.js'
import type { Local } from '../datasets/locate/locate-local.js'
import { isFunctionRef } from '../tasks/function-ref.js'
import type { Task } from '../tasks/task.js'

/** The files of each class in this process, by the task and split. */
const filesByFunction = new WeakMap<PythonFunction, Map<string, Promise<string>>>()

/**
 * Makes a task's docs with its Python class or function. Returns the file of their rows in wire form, or `undefined` if the task has neither. Each
 * worker makes the docs, because the task's functions may read the state of the class.
 *
 * @throws DatasetProblem where the class fails.
 */
export async function classRows(task: Task, split: string): Promise<Local | undefined> {
  const { class: ofClass, custom_dataset: custom } = task.config
  const ref = ofClass ?? custom
  if (ref === undefined) return undefined
  const python = findPythonFunction(task.functionOf(ref))
  if (python === undefined)
    throw new DatasetProblem(
      'dataset_path',
      ofClass === undefined
        ? 'custom_dataset must name a function in a Python file'
        : 'class must name a class in a Python file',
    )
  const files = filesByFunction.get(python) ?? new Map<string, Promise<string>>()
  filesByFunction.set(python, files)
  const key = `${task.name}/${split}`
  const file = files.get(key) ?? writeRows(task, python, split)
  files.set(key, file)
  const path = await file
  return {
    root: task.datasetFolder,
    every: [],
    parts: [{ name: `${split}.jsonl`, place: () => Promise.resolve(path) }],
  }
}

async function writeRows(task: Task, python: PythonFunction, split: string): Promise<string> {
  const { pool, exchange } = python.host
  const folder = join(exchange, `class-${encodeURIComponent(task.name)}`)
  mkdirSync(folder, { recursive: true })
  const output = join(folder, `${split}.jsonl`)
  const message = { ref: { ...python.ref }, ...splitConfig(task) }
  pool.prepare({ op: 'class', message })
  try {
    await pool.request('class', { ...message, split, output }, { seconds: importSeconds(pool.options) })
  } catch (error) {
    if (!(error instanceof PythonError)) throw error
    throw new DatasetProblem(
      'dataset_path',
      `${task.config.class === undefined ? 'custom_dataset' : 'class'} ${python.name}: ${pythonErrorText(error.data)}`,
      { cause: error },
    )
  }
  return output
}

/** The keys of the YAML file, with functions in Python by their reference. */
function splitConfig(task: Task): { readonly config: Json; readonly functions: Json } {
  const entries = Object.entries(task.config)
  const functions = entries.flatMap(([key, value]): readonly (readonly [string, Json])[] => {
    const pythonFunction =
      isFunctionRef(value) && key !== 'class' && key !== 'custom_dataset'
        ? findPythonFunction(task.functionOf(value))
        : undefined
    return pythonFunction === undefined ? [] : [[key, { ...pythonFunction.ref }]]
  })
  const plain = entries.filter(([, value]) => !isFunctionRef(value))
  const config = JSON.parse(JSON.stringify(Object.fromEntries(plain))) as Json
  return { config, functions: Object.fromEntries(functions) }
}
