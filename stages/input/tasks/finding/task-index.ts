import { resolve } from 'node:path'
import { FileError, readText } from '../../../../base/files/files.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { nearest } from '../../../../base/text/suggest.js'
import { type CodeFolder, isCode, loadCodeFolders } from '../code-tasks.js'
import { filesBelow } from './files-below.js'
import { groupKeys, taskKeys } from '../schema.js'
import { NameReader, placeOfName } from './task-names.js'
import type { CodeTask } from '../task-value.js'
import { readYamlFile } from '../yaml/yaml-file.js'

/** A file that describes a group, and the names of its members. */
interface IndexedGroup {
  readonly file: string
  readonly members: readonly string[]
}

/** The names that folders of task files offer. */
export interface TaskIndex {
  /** By name: the YAML file, or the task that a file of code exports. */
  readonly tasks: ReadonlyMap<string, string | CodeTask>
  readonly groups: ReadonlyMap<string, IndexedGroup>
  /** Names of tasks by tag. */
  readonly tags: ReadonlyMap<string, readonly string[]>
  /** Names that mean several things in one folder. They can be used once one of them is renamed. */
  readonly ambiguous: ReadonlyMap<string, AmbiguousName>
  /** Notes, such as a name that now refers to another task. */
  readonly notes: readonly string[]
  /** The reasons why files of code could not be loaded. A missing name may be defined in one of them. */
  readonly unloaded: readonly string[]
}

interface AmbiguousName {
  /** `file:line:column  what`, one for each file after the first. */
  readonly problems: readonly string[]
  /** The sources that are not in the index because another file has their name. */
  readonly others: readonly (string | CodeTask)[]
}

/** The file that offers a task. */
export const extractTaskFile = (task: string | CodeTask): string => (typeof task === 'string' ? task : task.file)

/**
 * Finds the tasks and groups below `folders` as {@link indexTasks} does, those written in code included.
 *
 * @param options.cacheDir folder for the compiled code of users' tasks
 */
export async function indexFolders(
  folders: readonly string[],
  options: { readonly cacheDir: string },
): Promise<TaskIndex> {
  return indexTasks(folders, await loadCodeFolders(folders, options))
}

/**
 * Finds the tasks and groups below `folders`. Where several folders offer a name, the last one wins, with a note, so that a user's task can replace a
 * built-in one.
 *
 * Files are only scanned for names. A task is checked when it is loaded. A name may occur twice in a folder as long as it is not used.
 *
 * @throws PipelineError where a folder does not exist.
 */
export function indexTasks(folders: readonly string[], code: ReadonlyMap<string, CodeFolder> = new Map()): TaskIndex {
  const tasks = new Map<string, string | CodeTask>()
  const groups = new Map<string, IndexedGroup>()
  const tags = new Map<string, readonly string[]>()
  const ambiguous = new Map<string, AmbiguousName>()
  const notes: string[] = []
  for (const folder of folders) {
    const skimmed = skimFolder(folder, code.get(folder)?.tasks ?? [])
    const replaced: Replaced[] = []
    const note = (name: string, file: string): void => {
      const task = tasks.get(name)
      const [kind, before] = task === undefined ? ['group', groups.get(name)?.file] : ['task', extractTaskFile(task)]
      if (before !== undefined && before !== file)
        replaced.push({ name, text: `${kind} "${name}" is ${shownPath(file)}, not ${shownPath(before)}` })
      tasks.delete(name)
      groups.delete(name)
      ambiguous.delete(name)
    }
    for (const [name, task] of skimmed.tasks) {
      note(name, extractTaskFile(task))
      tasks.set(name, task)
    }
    for (const [name, group] of skimmed.groups) {
      note(name, group.file)
      tags.delete(name)
      groups.set(name, group)
    }
    notes.push(...describeReplaced(replaced, folder))
    for (const [name, members] of skimmed.tags) {
      const before = groups.get(name)
      if (before !== undefined) notes.push(`"${name}" is a tag of ${members.join(', ')}, not ${shownPath(before.file)}`)
      groups.delete(name)
      tags.set(name, [...(tags.get(name) ?? []), ...members])
    }
    for (const [name, problem] of skimmed.ambiguous) ambiguous.set(name, problem)
  }
  const unloaded = [...code.values()].flatMap(({ problems }) => problems)
  return { tasks, groups, tags, ambiguous, notes, unloaded }
}

interface Replaced {
  readonly name: string
  readonly text: string
}

/** Up to this many replaced names are listed; a folder may replace hundreds. */
const fewReplaced = 5

function describeReplaced(replaced: readonly Replaced[], folder: string): readonly string[] {
  if (replaced.length <= fewReplaced) return replaced.map(({ text }) => text)
  const names = replaced.slice(0, fewReplaced).map(({ name }) => name)
  const rest = replaced.length - names.length
  return [
    `${replaced.length.toLocaleString('en')} tasks and groups are those of ${shownPath(folder)}, not the ones of these names before: ${names.join(', ')} and ${rest.toLocaleString('en')} more`,
  ]
}

function skimFolder(folder: string, inCode: readonly CodeTask[]): Omit<TaskIndex, 'notes' | 'unloaded'> {
  const tasks = new Map<string, string | CodeTask>()
  const groups = new Map<string, IndexedGroup>()
  const tags = new Map<string, string[]>()
  const ambiguous = new Map<string, AmbiguousName>()
  const reader = new NameReader()
  const refuse = (name: string, problem: string, other?: string | CodeTask): void => {
    const { problems, others } = ambiguous.get(name) ?? { problems: [], others: [] }
    ambiguous.set(name, {
      problems: [...problems, problem],
      others: other === undefined ? others : [...others, other],
    })
  }
  const addTask = (name: string, task: string | CodeTask, itsTags: readonly string[]): void => {
    const other = tasks.get(name) ?? groups.get(name)?.file
    if (other !== undefined)
      refuse(
        name,
        describeDuplicate('task', name, { file: extractTaskFile(task), other: extractTaskFile(other) }),
        task,
      )
    else {
      tasks.set(name, task)
      for (const tag of itsTags) tags.set(tag, [...(tags.get(tag) ?? []), name])
    }
  }
  for (const file of yamlFiles(resolve(folder), folder)) {
    const names = reader.namesIn(file)
    if (names.type === 'nothing') continue
    const name = names.name ?? shownPath(file)
    const other = tasks.get(name) ?? groups.get(name)?.file
    if (names.type === 'task') addTask(name, file, names.tags)
    else if (other !== undefined)
      refuse(name, describeDuplicate('group', name, { file, other: extractTaskFile(other) }), file)
    else groups.set(name, { file, members: names.members })
  }
  for (const task of inCode) addTask(task.name, task, task.tags)
  for (const [tag, [task = '']] of tags) {
    const group = groups.get(tag)
    if (group === undefined) continue
    const files = `a tag in ${shownPath(extractTaskFile(tasks.get(task) ?? ''))} and a group in ${shownPath(group.file)}`
    refuse(tag, `${placeOfName(group.file, 'group')}  "${tag}" is ${files}. Rename one.`)
  }
  return { tasks, groups, tags, ambiguous }
}

function describeDuplicate(
  kind: 'task' | 'group',
  name: string,
  { file, other }: { readonly file: string; readonly other: string },
): string {
  const location = isCode(file) ? shownPath(file) : placeOfName(file, kind)
  return `${location}  ${kind} "${name}" is in two files: ${shownPath(other)} and ${shownPath(file)}. Rename one.`
}

/** Lists the YAML files below a folder, sorted by name. */
export const yamlFiles = (folder: string, shownFolder = folder): readonly string[] =>
  filesBelow(folder, /\.ya?ml$/, shownFolder)

/** Matches files that look like a task or group. Folders may contain other YAML files. */
const isOfTasks =
  /^[ \t]*(?:- )?(?:task|group|dataset_path|doc_to_\w+|metric_list|output_type|aggregate_metric_list)[ \t]*:/m

const knownKeys = [...groupKeys, ...taskKeys]

/**
 * Finds problems of files without a task name. Most are templates for includes, but some are meant as a task or group and would be ignored silently.
 *
 * @returns `file:line:column  what`
 */
export async function unnamedProblems(files: readonly string[]): Promise<readonly string[]> {
  const reader = new NameReader()
  const unnamed = files.filter(file => reader.namesIn(file).type === 'nothing')
  return (await Promise.all(unnamed.map(problemsIn))).flat()
}

async function problemsIn(file: string): Promise<readonly string[]> {
  const text = await readText(file).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error
    return error
  })
  if (text instanceof FileError) return [`${shownPath(file)}:${text.line ?? 1}:1  ${text.message}`]
  if (!isOfTasks.test(text)) return []
  const yaml = await readYamlFile(file)
  if (yaml.problems.length > 0) return yaml.problems
  const keys = Object.keys(yaml.values)
  const slips = keys
    .filter(key => !knownKeys.includes(key) && /^(task|group)$/.test(nearest(key, knownKeys) ?? ''))
    .map(key => `${yaml.atKey([key])}  ${key}: no such key. Did you mean "${nearest(key, knownKeys) ?? ''}"?`)
  const isGroup =
    slips.length === 0 && keys.includes('group') && keys.some(key => /^(group_alias|aggregate_metric_list)$/.test(key))
  return isGroup ? [`${yaml.at(['group'])}  task: missing: the tasks of the group, a list`] : slips
}
