import { existsSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { bundleCode, type BundledCode } from '../../../cache/code/bundle-code.js'
import { loadUserCode } from '../../../cache/code/load-user-code.js'
import { offeredFunctions, type Callee } from '../../../cache/code/offered-functions.js'
import { spooledRows, type RowSource } from '../datasets/spooled-rows.js'
import { makeFunctionRef } from './function-ref.js'
import type { TaskCode } from './task-code.js'
import type { YamlFile } from './yaml/yaml-file.js'

/** The expression is assembled from parts, because the bundler replaces it even in texts. */
export const ownUrl = ['import.meta', 'url'].join('.')

/** A registered symbol, so that two installed copies of the package know each other's tasks. */
export const taskBrand: unique symbol = Symbol.for('pipeline.task')

/** A task written in code. It becomes the same thing as a task file, with functions where the file has `!function`. */
export interface TaskValue {
  readonly [taskBrand]: true
  readonly kind: 'task'
  readonly name: string
  /** The file that defines the task, as a path or URL. It identifies the task's code. */
  readonly module?: string
  /** The keys of a task file. Functions are values. */
  readonly keys: Readonly<Record<string, unknown>>
  /** The docs, where they are in no file. */
  readonly rows?: RowSource
  /** The functions of `keys` by name, in which stored code is looked up. */
  readonly [offeredFunctions]: Readonly<Record<string, Callee>>
}

export const isTaskValue = (value: unknown): value is TaskValue =>
  typeof value === 'object' && value !== null && taskBrand in value

/** The keys of a task as a layer of a task file, with the code of its functions. */
export interface TaskValueLayer extends YamlFile {
  readonly code: TaskCode
  /** True if the docs are values of the program, which are kept in a file of the store. */
  readonly hasOwnRows: boolean
}

export const isValueLayer = (layer: string | YamlFile): layer is TaskValueLayer =>
  typeof layer !== 'string' && 'code' in layer

/** The functions of a layer's task by name. */
export const collectFunctions = ({ code }: TaskValueLayer): Readonly<Record<string, Callee>> =>
  Object.assign({}, ...[...code.modules.values()].map(({ exports }) => exports)) as Readonly<Record<string, Callee>>

/** The functions within a value, each by the names of the keys and list entries that lead to it. */
export function functionsIn(task: string, keys: unknown): Readonly<Record<string, Callee>> {
  const callees: Record<string, Callee> = {}
  replaceFunctions(keys, [task], (callee, name) => {
    callees[name] = callee
  })
  return callees
}

/** Makes a function's name from its path. A name must not contain a dot, because the part before the last dot of a reference is the file. */
const makeFunctionName = (path: readonly string[]): string => path.join(':').replaceAll('.', '%2E')

function replaceFunctions(
  value: unknown,
  path: readonly string[],
  replace: (callee: Callee, name: string) => unknown,
): unknown {
  if (typeof value === 'function') return replace(value as Callee, makeFunctionName(path))
  if (Array.isArray(value))
    return value.map((item: unknown, index) => replaceFunctions(item, [...path, entryName(item, index)], replace))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(
    ([key, item]: [string, unknown]) => [key, replaceFunctions(item, [...path, key], replace)] as const,
  )
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
}

/** Names an entry of a list, so that a named entry does not depend on its index. */
const entryName = (item: unknown, index: number): string =>
  typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string'
    ? item.name
    : String(index)

/**
 * Makes the layer of keys of a task defined in code.
 *
 * @param code the bundled file of the task. @default the file of `module`
 * @throws PipelineError if the task's file is unknown or cannot be bundled
 */
export async function valueLayer(
  value: TaskValue,
  { cacheDir, code }: { readonly cacheDir: string; readonly code?: { readonly file: string } & BundledCode },
): Promise<TaskValueLayer> {
  const file = code?.file ?? moduleFile(value)
  const { source, closure } = code ?? (await bundledOnce(file))
  const module = basename(file, extname(file))
  const values = replaceFunctions(value.keys, [value.name], (_, name) =>
    makeFunctionRef({ module, name, file, path: file }),
  ) as Readonly<Record<string, unknown>>
  const dataset = value.rows === undefined ? {} : { dataset_path: await spooledRows(value.rows, cacheDir) }
  const locate = (): string => `${shownPath(file)} (${value.name})`
  const own = { exports: value[offeredFunctions], stored: { source }, closure }
  return {
    file,
    values: { ...values, ...dataset },
    problems: [],
    notes: [],
    at: locate,
    atKey: locate,
    code: { modules: new Map([[basename(file), own]]), closure, problems: [] },
    hasOwnRows: value.rows !== undefined,
  }
}

/** Bundles by file. The process runs the first loaded version of a file, so each file is bundled once. */
const bundles = new Map<string, Promise<BundledCode>>()

function bundledOnce(file: string): Promise<BundledCode> {
  const bundle = bundles.get(file) ?? bundleCode(file)
  bundles.set(file, bundle)
  return bundle
}

/** Returns the path of a module from its path or URL, such as `import.meta.url`. */
export const pathOfModule = (module: string): string =>
  module.startsWith('file:') ? fileURLToPath(new URL(module)) : resolve(module)

function moduleFile({ name, module }: TaskValue): string {
  if (module === undefined)
    throw new PipelineError(
      'usage',
      `task ${name}: nothing says which file it is written in, so that its code can't be told from other code. Add the line\n  module: ${ownUrl},\nto its defineTask({ … }).`,
    )
  const file = pathOfModule(module)
  if (existsSync(file)) return file
  throw new PipelineError('usage', `task ${name}: there is no file ${shownPath(file)}, which its module names`)
}

/** A task that a file of code exports. Its keys are made into a layer when the task is used, since that reads its rows. */
export interface CodeTask {
  readonly name: string
  readonly file: string
  readonly tags: readonly string[]
  readonly layer: () => Promise<TaskValueLayer>
}

/**
 * Loads a file of code and lists the tasks that it exports, each once.
 *
 * @throws PipelineError if the file cannot be loaded, exports no task, or exports two tasks of one name.
 */
export async function tasksInCode(
  file: string,
  { cacheDir }: { readonly cacheDir: string },
): Promise<readonly CodeTask[]> {
  const { module, source, closure } = await loadUserCode(file, { cacheDir })
  const tasks = [...new Set(Object.values(module).flat().filter(isTaskValue))]
  const names = tasks.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined)
    throw new PipelineError('config', `${shownPath(file)} exports two tasks called "${twice}": rename one of them`)
  if (tasks.length === 0) throw new PipelineError('usage', noTask(file, Object.keys(module)))
  return tasks.map(task => ({
    name: task.name,
    file,
    tags: readTags(task),
    layer: () => valueLayer(task, { cacheDir, code: { file, source, closure } }),
  }))
}

const readTags = ({ keys: { tag } }: TaskValue): readonly string[] =>
  [tag].flat().filter(name => typeof name === 'string')

function noTask(file: string, names: readonly string[]): string {
  const exported = names.length === 0 ? 'nothing' : names.join(', ')
  return `${shownPath(file)} exports no task (it exports ${exported}). Export what defineTask({ … }) returns, or name the YAML file that this code belongs to`
}
