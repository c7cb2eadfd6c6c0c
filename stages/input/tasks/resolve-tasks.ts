import { join } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { command } from '../../../base/errors/option-words.js'
import { isWildcard, wildcard } from '../../../base/text/wildcard.js'
import { projectRoot } from '../../../cache/code/build-info.js'
import type { Emit } from '../../../cache/events.js'
import { loadGroup, type TaskGroup } from './load-group.js'
import { loadTask, type LoadOptions } from './load-task.js'
import { indexFolders, type TaskIndex } from './finding/task-index.js'
import { overrideKeys, type KeyOverrides } from './override-keys.js'
import { nodesAt, resolveTaskPath, together, valueNode } from './finding/task-paths.js'
import { expandName, flattenNodes, type GroupSource, type TaskNode, unknownTask } from './finding/task-tree.js'
import type { Task } from './task.js'
import { valueLayer, type TaskValue } from './task-value.js'

/** The folder of the built-in tasks. */
export const builtinTasks: string = join(projectRoot, 'tasks')

export interface ResolveOptions extends LoadOptions {
  /** Folders of the user's own; a later one's names win over an earlier one's and over the built-in ones. */
  readonly includePaths?: readonly string[]
  /** The names of built-in tasks and `includePaths`, where they were read before. */
  readonly index?: () => Promise<TaskIndex>
  /** The run's overrides of task keys. @default none */
  readonly overrides?: KeyOverrides | undefined
  /** Tasks defined in code, by their names in `tasks`. */
  readonly values?: ReadonlyMap<string, TaskValue>
  readonly emit: Emit
}

/** The tasks of an evaluation in the order of their first mention, and the named groups, an outer group before its inner ones. */
export interface TaskSelection {
  readonly tasks: readonly Task[]
  readonly groups: readonly TaskGroup[]
}

/** The tasks behind names; see {@link resolveSelection}. */
export const resolveTasks = async (names: readonly string[], options: ResolveOptions): Promise<readonly Task[]> =>
  (await resolveSelection(names, options)).tasks

/**
 * The tasks and groups behind names: of a task, group or tag, a pattern (`mm*`, `[ab]?`), a folder or a YAML file. Each once.
 *
 * @throws PipelineError with all that is wrong with all of them.
 */
export async function resolveSelection(names: readonly string[], options: ResolveOptions): Promise<TaskSelection> {
  const nodes = await resolveNodes(names, options)
  const { tasks: taskSources, groups: groupSources, problems: doubled } = flattenNodes(nodes)
  if (doubled.length > 0) throw new PipelineError('config', doubled)
  const sources = options.overrides === undefined ? taskSources : overrideKeys(taskSources, options.overrides)
  const [tasks, groups] = await Promise.all([
    Promise.allSettled(sources.map(source => loadTask(source.layers, options))),
    Promise.allSettled(groupSources.map(group => loadGroup(group, options))),
  ])
  const problems = [...collectProblems(tasks), ...collectProblems(groups)]
  if (problems.length > 0) throw new PipelineError('config', [...new Set(problems)])
  const loadedTasks = collectValues(tasks)
  for (const text of notesIn(loadedTasks, groupSources)) options.emit({ type: 'note', text })
  return { tasks: loadedTasks, groups: collectValues(groups) }
}

/** A file that many include has its notes once. */
export const notesIn = (tasks: readonly Task[], groups: readonly GroupSource[]): readonly string[] => [
  ...new Set([...tasks.flatMap(({ notes = [] }) => notes), ...groups.flatMap(({ yaml }) => yaml.notes)]),
]

async function resolveNodes(names: readonly string[], options: ResolveOptions): Promise<readonly TaskNode[]> {
  const folders = [builtinTasks, ...(options.includePaths ?? [])]
  let index: Promise<TaskIndex> | undefined
  const openIndex = (): Promise<TaskIndex> => (index ??= options.index?.() ?? indexNoted(folders, options))
  const nodes: TaskNode[] = []
  const unknown: string[] = []
  const problems: string[] = []
  const withoutTask: string[] = []
  for (const name of names) {
    const before = unknown.length
    const value = options.values?.get(name)
    if (value !== undefined) {
      nodes.push(valueNode(value.name, await valueLayer(value, options)))
      continue
    }
    const path = await resolveTaskPath(name).catch((error: unknown) => {
      unknown.push(...missingPath(error))
      withoutTask.push(name)
      return null
    })
    if (path === null) continue
    const matchingNodes =
      path === undefined
        ? await namedNodes(name, { index: await openIndex(), unknown, problems })
        : (await nodesAt(path, { ...options, folders, problems })).nodes
    if (matchingNodes.length === 0 && path !== undefined && problems.length === 0) unknown.push(`${name} holds no task`)
    if (unknown.length > before) withoutTask.push(name)
    nodes.push(...matchingNodes)
  }
  const unloaded = (await index)?.unloaded ?? []
  if (unknown.length > 0)
    throw new PipelineError('usage', [...unknown, ...problems, ...unloaded], {
      reason: 'task-unknown',
      data: { names: withoutTask },
    })
  if (problems.length > 0) throw new PipelineError('config', problems)
  for (const text of unloaded) options.emit({ type: 'note', text })
  return nodes
}

async function indexNoted(folders: readonly string[], { cacheDir, emit }: ResolveOptions): Promise<TaskIndex> {
  const index = await indexFolders(folders, { cacheDir })
  for (const text of index.notes) emit({ type: 'note', text })
  return index
}

async function namedNodes(
  name: string,
  { index, unknown, problems }: { readonly index: TaskIndex; readonly unknown: string[]; readonly problems: string[] },
): Promise<readonly TaskNode[]> {
  const context = { index, over: [], chain: [], problems }
  const allNames = [...index.tasks.keys(), ...index.groups.keys(), ...index.tags.keys()]
  if (allNames.includes(name)) return expandName(name, context)
  const matchingNames = isWildcard(name)
    ? new Set(allNames.filter(taskName => wildcard(name).test(taskName)))
    : new Set<string>()
  if (matchingNames.size > 0) return together([...matchingNames].sort(), { ...context, index })
  unknown.push(isWildcard(name) ? `no task matches "${name}"   (${command('tasks list')})` : unknownTask(name, index))
  return []
}

function missingPath(error: unknown): readonly string[] {
  if (error instanceof PipelineError) return error.said
  throw error
}

export const collectValues = <T>(settled: readonly PromiseSettledResult<T>[]): readonly T[] =>
  settled.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))

export function collectProblems(settled: readonly PromiseSettledResult<unknown>[]): readonly string[] {
  return settled.flatMap(result => {
    if (result.status === 'fulfilled') return []
    if (result.reason instanceof PipelineError) return result.reason.said
    throw result.reason
  })
}
