/** Tasks that are named by the path of a folder, a YAML file or a file of code. */
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { PipelineError, systemCode } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { didYouMean } from '../../../../base/text/suggest.js'
import { isCode } from '../code-tasks.js'
import { resolveYaml } from '../yaml/resolve-yaml.js'
import { indexFolders, type TaskIndex } from './task-index.js'
import { expandGroup, type Expanding, expandName, flattenNodes, type TaskNode } from './task-tree.js'
import { type CodeTask, tasksInCode, type TaskValueLayer } from '../task-value.js'

/** Resolves a task name that is a path. Returns `undefined` if the name is no path. `colours.task.ts#colours` names one task of a file of code. */
export async function resolveTaskPath(name: string): Promise<TaskPath | undefined> {
  const [, file = name, only] = /^(.+\.[cm]?[jt]s)#(.+)$/.exec(name) ?? []
  if (!/[\\/]|\.ya?ml$|^\.\.?$/.test(file) && !isCode(file)) return undefined
  const path = resolve(file)
  const stats = await stat(path).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error
    throw new PipelineError('usage', `no task file or folder ${file}`, { cause: error })
  })
  if (!stats.isDirectory() && /\.py$/.test(file))
    throw new PipelineError(
      'usage',
      `${name} is code, and no task: name the YAML file that it belongs to, or their folder`,
    )
  return { path, isFolder: stats.isDirectory(), only }
}

/** Combines the tasks and groups of one pattern or folder. A task that a group contains keeps the group's settings. */
export async function together(
  names: readonly string[],
  context: Parameters<typeof expandName>[1],
): Promise<readonly TaskNode[]> {
  const { groups, tasks } = context.index
  const ofGroups = new Map<string, readonly TaskNode[]>()
  for (const name of names) if (groups.has(name)) ofGroups.set(name, await expandName(name, context))
  const groupedNames = new Set(flattenNodes([...ofGroups.values()].flat()).tasks.map(task => task.name))
  const nodes: TaskNode[] = []
  for (const name of names) {
    const own = ofGroups.get(name)
    if (own !== undefined) nodes.push(...own)
    else if (tasks.has(name) && !groupedNames.has(name)) nodes.push(...(await expandName(name, context)))
    else if (!tasks.has(name))
      nodes.push(
        ...(await expandName(name, context)).filter(node => node.type === 'task' && !groupedNames.has(node.task.name)),
      )
  }
  return nodes
}

/** Loads everything below a folder, or one YAML file. Members of groups are also searched in the same folder. */
export async function nodesAt(
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
  const ambiguousNodes: TaskNode[] = []
  for (const other of [...own.ambiguous.values()].flatMap(name => name.others))
    ambiguousNodes.push(
      ...(typeof other === 'string'
        ? await nodesInFile(other, { ...context, openIndex: () => Promise.resolve(index) })
        : [await codeNode(other)]),
    )
  return { nodes, others: ambiguousNodes }
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
    const tasks = await tasksInCode(file, { cacheDir })
    const matchingTasks = tasks.filter(({ name }) => only === undefined || name === only)
    const names = tasks.map(({ name }) => name)
    if (matchingTasks.length === 0)
      throw new PipelineError('usage', `${shownPath(file)} exports no task "${only}".${didYouMean(only ?? '', names)}`)
    return await Promise.all(matchingTasks.map(codeNode))
  } catch (error) {
    if (!(error instanceof PipelineError) || error.code === 'usage') throw error
    problems.push(...error.said)
    return []
  }
}

const codeNode = async (task: CodeTask): Promise<TaskNode> => valueNode(task.name, await task.layer())

export const valueNode = (name: string, layer: TaskValueLayer): TaskNode => ({
  type: 'task',
  task: { name, layers: [layer] },
})

const taskName = ({ task }: Readonly<Record<string, unknown>>): string => (typeof task === 'string' ? task : '')

/** A file or folder that is named as a task. */
export interface TaskPath {
  readonly path: string
  readonly isFolder: boolean
  /** The single selected task of a file of code. */
  readonly only?: string | undefined
}
