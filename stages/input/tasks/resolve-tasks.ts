import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PipelineError, systemCode } from '../../../base/errors.js'
import { shownPath } from '../../../base/shown-path.js'
import { didYouMean } from '../../../base/suggest.js'
import { projectRoot } from '../../../cache/code/build-info.js'
import type { Emit } from '../../../cache/events.js'
import { loadTask, type LoadOptions } from './load-task.js'
import { indexTasks, type TaskIndex } from './task-index.js'
import type { Task } from './task.js'

/** The folder of the tasks that come with the program. */
export const builtinTasks: string = join(projectRoot, 'tasks')

export interface ResolveOptions extends LoadOptions {
  /** Folders of the user's own; a later one's names win over an earlier one's and over the built-in ones. */
  readonly includePaths?: readonly string[]
  readonly emit: Emit
}

/**
 * The tasks behind names: of a task, tag or group, a pattern with `*` and `?`, a folder or a YAML file. Each task once, in
 * the order in which it is first named.
 *
 * @throws PipelineError with all that is wrong with all of them.
 */
export async function resolveTasks(names: readonly string[], options: ResolveOptions): Promise<readonly Task[]> {
  const files = await resolveFiles(names, options)
  const loaded = await Promise.allSettled(files.map(file => loadTask(file, options)))
  const tasks = valuesOf(loaded)
  const byName = new Map<string, Task>()
  for (const task of tasks) {
    const other = byName.get(task.name)
    if (other !== undefined)
      throw new PipelineError(
        'config',
        `two tasks "${task.name}": ${shownPath(other.file)} and ${shownPath(task.file)}`,
      )
    byName.set(task.name, task)
  }
  return tasks
}

async function resolveFiles(names: readonly string[], options: ResolveOptions): Promise<readonly string[]> {
  let index: TaskIndex | undefined
  const folders = [builtinTasks, ...(options.includePaths ?? [])]
  const files = new Set<string>()
  const problems: string[] = []
  for (const name of names) {
    const fromPath = await filesAtPath(name)
    if (fromPath === undefined) index ??= await openIndex(folders, options.emit)
    const found = fromPath ?? (index === undefined ? [] : filesNamed(name, index))
    for (const file of found) files.add(file)
    if (found.length === 0) problems.push(fromPath === undefined ? unknownTask(name, index) : `${name} holds no task`)
  }
  if (problems.length > 0) throw new PipelineError('usage', problems)
  return [...files]
}

async function openIndex(folders: readonly string[], emit: Emit): Promise<TaskIndex> {
  const index = await indexTasks(folders)
  for (const text of index.notes) emit({ type: 'note', text })
  return index
}

/** Files below a folder, or the one YAML file. `undefined` where the name is no path. */
async function filesAtPath(name: string): Promise<readonly string[] | undefined> {
  if (!/[\\/]|\.ya?ml$|^\.\.?$/.test(name)) return undefined
  const path = resolve(name)
  const found = await stat(path).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error
    throw new PipelineError('usage', `no task file or folder ${name}`, { cause: error })
  })
  return found.isDirectory() ? [...(await indexTasks([path])).tasks.values()] : [path]
}

function filesNamed(name: string, index: TaskIndex, seen: ReadonlySet<string> = new Set()): readonly string[] {
  const file = index.tasks.get(name)
  if (file !== undefined) return [file]
  const members = index.groups.get(name)
  if (members !== undefined && !seen.has(name))
    return members.flatMap(member => filesNamed(member, index, new Set([...seen, name])))
  if (!/[*?]/.test(name)) return []
  const pattern = new RegExp(
    `^${name
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\?/g, '.')}$`,
  )
  return [...index.tasks.keys()]
    .filter(task => pattern.test(task))
    .sort()
    .flatMap(task => filesNamed(task, index))
}

function unknownTask(name: string, index: TaskIndex | undefined): string {
  const known = [...(index?.tasks.keys() ?? []), ...(index?.groups.keys() ?? [])]
  if (/[*?]/.test(name)) return `no task matches "${name}"   (pipeline tasks list)`
  return `no task "${name}".${didYouMean(name, known)}   (pipeline tasks list)`
}

function valuesOf<T>(settled: readonly PromiseSettledResult<T>[]): readonly T[] {
  const problems = problemsOf(settled)
  if (problems.length > 0) throw new PipelineError('config', problems)
  return settled.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
}

function problemsOf(settled: readonly PromiseSettledResult<unknown>[]): readonly string[] {
  return settled.flatMap(result => {
    if (result.status === 'fulfilled') return []
    if (result.reason instanceof PipelineError) return result.reason.problems
    throw result.reason
  })
}

/** What `tasks validate` says of a folder or file. */
export interface Validation {
  readonly files: number
  /** The tasks that were found right, by name. */
  readonly tasks: readonly Task[]
  readonly problems: readonly string[]
}

/** Reads every task below a folder, or in one file, and tells all that is wrong with them. */
export async function validateTaskFolder(path: string, options: LoadOptions): Promise<Validation> {
  const files = await filesAtPath(join(resolve(path), '.'))
  if (files === undefined || files.length === 0)
    return { files: 0, tasks: [], problems: [`${path} holds no task: no .yaml file in it has the key "task"`] }
  const loaded = await Promise.allSettled(files.map(file => loadTask(file, options)))
  const tasks = loaded.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  return { files: files.length, tasks, problems: problemsOf(loaded) }
}
