import { join, resolve } from 'node:path'
import { taskCodeFiles } from './code-tasks.js'
import { loadGroup } from './load-group.js'
import { loadTask, type LoadOptions } from './load-task.js'
import { builtinTasks, notesIn, collectProblems, type ResolveOptions, collectValues } from './resolve-tasks.js'
import { unnamedProblems, yamlFiles } from './finding/task-index.js'
import { nodesAt, resolveTaskPath } from './finding/task-paths.js'
import { flattenedApart, type TaskSource } from './finding/task-tree.js'
import type { Task } from './task.js'

/** The result of `tasks validate` for a folder or file. */
export interface Validation {
  readonly files: number
  /** The tasks that were found right, by name. */
  readonly tasks: readonly Task[]
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

const taskFiles = (folder: string): readonly string[] => [...yamlFiles(folder), ...taskCodeFiles(folder)]

/** Reads every task below a folder or in one file, and lists all problems. Members of groups may also be in `includePaths`. */
export async function validateTaskFolder(
  path: string,
  { includePaths = [], ...options }: LoadOptions & Pick<ResolveOptions, 'includePaths'>,
): Promise<Validation> {
  const place = await resolveTaskPath(join(resolve(path), '.'))
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
    files: new Set([...files, ...sources.flatMap(listLayerFiles), ...groups.map(({ yaml }) => yaml.file)]).size,
    tasks: collectValues(loaded),
    notes: notesIn(collectValues(loaded), groups),
    // A problem of a file that many tasks include is listed once.
    problems: [...new Set([...problems, ...collectProblems(loaded), ...collectProblems(grouped)])],
  }
}

const listLayerFiles = ({ layers }: TaskSource): readonly string[] =>
  layers.map(layer => resolve(typeof layer === 'string' ? layer : layer.file))
