import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import { command } from '../../../base/errors/option-words.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { isWildcard, wildcard } from '../../../base/text/wildcard.js'
import { projectRoot } from '../../../cache/code/build-info.js'
import type { Emit } from '../../../cache/events.js'
import {
  expandGroup,
  type Expanding,
  expandName,
  groupsApart,
  type GroupSource,
  type TaskNode,
  type TaskSource,
  unknownTask,
} from './task-tree.js'
import { loadGroup, type TaskGroup } from './load-group.js'
import { loadTask, type LoadOptions } from './load-task.js'
import { resolveYaml } from './resolve-yaml.js'
import { isCode, taskCodeFiles } from './code-tasks.js'
import { indexFolders, type TaskIndex, unnamedProblems, yamlFiles } from './task-index.js'
import type { Task } from './task.js'
import { type CodeTask, tasksInCode, valueLayer, type TaskValue, type TaskValueLayer } from './task-value.js'

/** The folder of the tasks that come with the program. */
export const builtinTasks: string = join(projectRoot, 'tasks')

export interface ResolveOptions extends LoadOptions {
  /** Folders of the user's own; a later one's names win over an earlier one's and over the built-in ones. */
  readonly includePaths?: readonly string[]
  /** The names of built-in tasks and `includePaths`, where they were read before. */
  readonly index?: () => Promise<TaskIndex>
  /** Tasks that a program gives as values, by the names that stand for them. */
  readonly values?: ReadonlyMap<string, TaskValue>
  readonly emit: Emit
}

/** What is evaluated: tasks in the order in which they are first named, and the groups that were named, an outer one before its inner ones. */
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
  const nodes = await nodesOf(names, options)
  const { tasks: sources, groups: groupSources, problems: doubled } = flattened(nodes)
  if (doubled.length > 0) throw new PipelineError('config', doubled)
  const [tasks, groups] = await Promise.all([
    Promise.allSettled(sources.map(source => loadTask(source.layers, options))),
    Promise.allSettled(groupSources.map(group => loadGroup(group, options))),
  ])
  const problems = [...problemsOf(tasks), ...problemsOf(groups)]
  if (problems.length > 0) throw new PipelineError('config', [...new Set(problems)])
  const found = valuesOf(tasks)
  for (const text of notesIn(found, groupSources)) options.emit({ type: 'note', text })
  return { tasks: found, groups: valuesOf(groups) }
}

/** A file that many include has its notes once. */
const notesIn = (tasks: readonly Task[], groups: readonly GroupSource[]): readonly string[] => [
  ...new Set([...tasks.flatMap(({ notes = [] }) => notes), ...groups.flatMap(({ yaml }) => yaml.notes)]),
]

async function nodesOf(names: readonly string[], options: ResolveOptions): Promise<readonly TaskNode[]> {
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
    const path = await pathOf(name).catch((error: unknown) => {
      unknown.push(...missingPath(error))
      withoutTask.push(name)
      return null
    })
    if (path === null) continue
    const found =
      path === undefined
        ? await namedNodes(name, { index: await openIndex(), unknown, problems })
        : (await nodesAt(path, { ...options, folders, problems })).nodes
    if (found.length === 0 && path !== undefined && problems.length === 0) unknown.push(`${name} holds no task`)
    if (unknown.length > before) withoutTask.push(name)
    nodes.push(...found)
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
  const all = [...index.tasks.keys(), ...index.groups.keys(), ...index.tags.keys()]
  if (all.includes(name)) return expandName(name, context)
  const matching = isWildcard(name) ? new Set(all.filter(one => wildcard(name).test(one))) : new Set<string>()
  if (matching.size > 0) return together([...matching].sort(), { ...context, index })
  unknown.push(isWildcard(name) ? `no task matches "${name}"   (${command('tasks list')})` : unknownTask(name, index))
  return []
}

/** Names that one pattern or folder stands for: a task is taken as the groups among them have it. */
async function together(
  names: readonly string[],
  context: Parameters<typeof expandName>[1],
): Promise<readonly TaskNode[]> {
  const { groups, tasks } = context.index
  const ofGroups = new Map<string, readonly TaskNode[]>()
  for (const name of names) if (groups.has(name)) ofGroups.set(name, await expandName(name, context))
  const taken = new Set(flattened([...ofGroups.values()].flat()).tasks.map(task => task.name))
  const found: TaskNode[] = []
  for (const name of names) {
    const own = ofGroups.get(name)
    if (own !== undefined) found.push(...own)
    else if (tasks.has(name) && !taken.has(name)) found.push(...(await expandName(name, context)))
    else if (!tasks.has(name))
      found.push(
        ...(await expandName(name, context)).filter(node => node.type === 'task' && !taken.has(node.task.name)),
      )
  }
  return found
}

/** Everything below a folder, or the one YAML file. Members of groups are looked for beside them, too. */
async function nodesAt(
  { path, isFolder, only }: TaskPath,
  {
    folders,
    problems,
    cacheDir,
  }: { readonly folders: readonly string[]; readonly problems: string[]; readonly cacheDir: string },
): Promise<{ readonly nodes: readonly TaskNode[]; readonly others: readonly TaskNode[] }> {
  const context = { over: [], chain: [], problems }
  if (!isFolder && isCode(path)) return { nodes: await nodesInCode(path, { only, cacheDir, problems }), others: [] }
  if (!isFolder) {
    const openIndex = (): Promise<TaskIndex> => indexFolders([...folders, dirname(path)], { cacheDir })
    return { nodes: await nodesInFile(path, { ...context, openIndex }), others: [] }
  }
  const own = await indexFolders([path], { cacheDir })
  problems.push(...own.unloaded)
  const index = own.groups.size === 0 ? own : await indexFolders([...folders, path], { cacheDir })
  const nodes = await together([...own.tasks.keys(), ...own.groups.keys()], { ...context, index })
  const others: TaskNode[] = []
  for (const other of [...own.ambiguous.values()].flatMap(name => name.others))
    others.push(
      ...(typeof other === 'string'
        ? await nodesInFile(other, { ...context, openIndex: () => Promise.resolve(index) })
        : [await codeNode(other)]),
    )
  return { nodes, others }
}

async function nodesInFile(
  file: string,
  { openIndex, ...context }: Omit<Expanding, 'index'> & { readonly openIndex: () => Promise<TaskIndex> },
): Promise<readonly TaskNode[]> {
  const yaml = await resolveYaml(file)
  return Array.isArray(yaml.values['task'])
    ? expandGroup(yaml, { ...context, index: await openIndex() })
    : [{ type: 'task', task: { name: taskName(yaml.values), layers: [file] } }]
}

/** The tasks that a file of code exports, or one of them. */
async function nodesInCode(
  file: string,
  {
    only,
    cacheDir,
    problems,
  }: { readonly only: string | undefined; readonly cacheDir: string; readonly problems: string[] },
): Promise<readonly TaskNode[]> {
  try {
    const all = await tasksInCode(file, { cacheDir })
    const found = all.filter(({ name }) => only === undefined || name === only)
    const names = all.map(({ name }) => name)
    if (found.length === 0)
      throw new PipelineError('usage', `${shownPath(file)} exports no task "${only}".${didYouMean(only ?? '', names)}`)
    return await Promise.all(found.map(codeNode))
  } catch (error) {
    if (!(error instanceof PipelineError) || error.code === 'usage') throw error
    problems.push(...error.said)
    return []
  }
}

const codeNode = async (task: CodeTask): Promise<TaskNode> => valueNode(task.name, await task.layer())

const valueNode = (name: string, layer: TaskValueLayer): TaskNode => ({ type: 'task', task: { name, layers: [layer] } })

const taskName = ({ task }: Readonly<Record<string, unknown>>): string => (typeof task === 'string' ? task : '')

interface TaskPath {
  readonly path: string
  readonly isFolder: boolean
  /** The one task that is meant of a file of code. */
  readonly only?: string | undefined
}

/** `undefined` where the name is no path. `colours.task.ts#colours` is one task of a file of code. */
async function pathOf(name: string): Promise<TaskPath | undefined> {
  const [, file = name, only] = /^(.+\.[cm]?[jt]s)#(.+)$/.exec(name) ?? []
  if (!/[\\/]|\.ya?ml$|^\.\.?$/.test(file) && !isCode(file)) return undefined
  const path = resolve(file)
  const found = await stat(path).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error
    throw new PipelineError('usage', `no task file or folder ${file}`, { cause: error })
  })
  if (!found.isDirectory() && /\.py$/.test(file))
    throw new PipelineError(
      'usage',
      `${name} is code, and no task: name the YAML file that it belongs to, or their folder`,
    )
  return { path, isFolder: found.isDirectory(), only }
}

function missingPath(error: unknown): readonly string[] {
  if (error instanceof PipelineError) return error.said
  throw error
}

/** Each task and group once, and what is wrong where one name stands for two. */
function flattened(nodes: readonly TaskNode[]): {
  readonly tasks: readonly TaskSource[]
  readonly groups: readonly GroupSource[]
  readonly problems: readonly string[]
} {
  const tasks = new Map<string, TaskSource>()
  const groups = new Map<string, GroupSource>()
  const problems: string[] = []
  const visit = (node: TaskNode): void => {
    const [known, name] = node.type === 'task' ? [tasks, node.task.name] : [groups, node.group.name]
    const before = known.get(name)
    if (node.type === 'task') tasks.set(name, tasks.get(name) ?? node.task)
    else groups.set(name, groups.get(name) ?? node.group)
    const now = node.type === 'task' ? node.task : node.group
    if (before !== undefined && formOf(before) !== formOf(now))
      problems.push(
        `${node.type} "${name}" is named twice, in two forms: ${placesOf(before)} and ${placesOf(now)}. Give one of them another name.`,
      )
    if (node.type === 'group') node.group.members.forEach(visit)
  }
  groupsApart(nodes).forEach(visit)
  return { tasks: [...tasks.values()], groups: [...groups.values()], problems }
}

/** What stands in each of the nodes alone: two groups may hold one task in two forms, as long as they are not evaluated together. */
function flattenedApart(nodes: readonly TaskNode[]): ReturnType<typeof flattened> {
  const all = nodes.map(node => flattened([node]))
  const once = <T extends TaskSource | GroupSource>(sources: readonly T[]): readonly T[] => [
    ...new Map(sources.map(source => [`${source.name} ${formOf(source)}`, source])).values(),
  ]
  return {
    tasks: once(all.flatMap(one => one.tasks)),
    groups: once(all.flatMap(one => one.groups)),
    problems: all.flatMap(one => one.problems),
  }
}

/** What tells two sources of one name apart. */
const formOf = (source: TaskSource | GroupSource): string =>
  JSON.stringify(
    'layers' in source
      ? source.layers.map(layer => (typeof layer === 'string' ? layer : layer.at([])))
      : source.yaml.at([]),
  )

const placesOf = (source: TaskSource | GroupSource): string =>
  'layers' in source
    ? source.layers.map(layer => (typeof layer === 'string' ? basename(layer) : layer.at([]))).join(' over ')
    : source.yaml.at([])

const filesOf = ({ layers }: TaskSource): readonly string[] =>
  layers.map(layer => resolve(typeof layer === 'string' ? layer : layer.file))

const valuesOf = <T>(settled: readonly PromiseSettledResult<T>[]): readonly T[] =>
  settled.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))

function problemsOf(settled: readonly PromiseSettledResult<unknown>[]): readonly string[] {
  return settled.flatMap(result => {
    if (result.status === 'fulfilled') return []
    if (result.reason instanceof PipelineError) return result.reason.said
    throw result.reason
  })
}

/** What `tasks validate` says of a folder or file. */
export interface Validation {
  readonly files: number
  /** The tasks that were found right, by name. */
  readonly tasks: readonly Task[]
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

const taskFiles = (folder: string): readonly string[] => [...yamlFiles(folder), ...taskCodeFiles(folder)]

/** Reads every task below a folder, or in one file, and tells all that is wrong with them. Members of groups may be in `includePaths`, too. */
export async function validateTaskFolder(
  path: string,
  { includePaths = [], ...options }: LoadOptions & Pick<ResolveOptions, 'includePaths'>,
): Promise<Validation> {
  const place = await pathOf(join(resolve(path), '.'))
  const problems: string[] = []
  const folders = [builtinTasks, ...includePaths]
  const { nodes, others } =
    place === undefined ? { nodes: [], others: [] } : await nodesAt(place, { ...options, folders, problems })
  const files = place === undefined ? [] : place.isFolder ? taskFiles(place.path) : [place.path]
  if (place?.isFolder === true) problems.push(...(await unnamedProblems(yamlFiles(place.path))))
  const { tasks: sources, groups, problems: doubled } = flattenedApart([...nodes, ...others])
  problems.push(...doubled)
  if (sources.length === 0 && problems.length === 0)
    return {
      files: 0,
      tasks: [],
      problems: [`${path} holds no task: no .yaml file in it has the key "task", and there is no .task.ts file`],
      notes: [],
    }
  const loaded = await Promise.allSettled(sources.map(source => loadTask(source.layers, options)))
  const grouped = await Promise.allSettled(groups.map(group => loadGroup(group, options)))
  return {
    files: new Set([...files, ...sources.flatMap(filesOf), ...groups.map(({ yaml }) => yaml.file)]).size,
    tasks: valuesOf(loaded),
    notes: notesIn(valuesOf(loaded), groups),
    // What is wrong in a file that many include is told once.
    problems: [...new Set([...problems, ...problemsOf(loaded), ...problemsOf(grouped)])],
  }
}
