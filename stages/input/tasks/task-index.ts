import { type Dirent, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import { FileError, readText } from '../../../base/files/files.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { nearest } from '../../../base/text/suggest.js'
import { groupKeys, taskKeys } from './schema.js'
import { NameReader, placeOfName } from './task-names.js'
import { readYamlFile } from './yaml-file.js'

/** A file that describes a group, and the names of its members. */
interface IndexedGroup {
  readonly file: string
  readonly members: readonly string[]
}

/** The names that folders of task files offer. */
export interface TaskIndex {
  /** File by name. */
  readonly tasks: ReadonlyMap<string, string>
  readonly groups: ReadonlyMap<string, IndexedGroup>
  /** Names of tasks by tag. */
  readonly tags: ReadonlyMap<string, readonly string[]>
  /** Names that mean several things in one folder. They can be used once one of them is renamed. */
  readonly ambiguous: ReadonlyMap<string, AmbiguousName>
  /** Notes, such as a name that now stands for another task than before. */
  readonly notes: readonly string[]
}

interface AmbiguousName {
  /** `file:line:column  what`, one for each file after the first. */
  readonly problems: readonly string[]
  /** Files that are not in the index because another file has their name. */
  readonly others: readonly string[]
}

/**
 * Finds the tasks and groups below `folders`. Where several folders offer a name, the last one wins, with a note, so
 * that a user's task can replace a built-in one.
 *
 * Files are skimmed for names only; a task is checked when it is loaded. A folder may contain a name twice, as long
 * as nobody asks for it.
 *
 * @throws PipelineError where a folder does not exist.
 */
export function indexTasks(folders: readonly string[]): TaskIndex {
  const tasks = new Map<string, string>()
  const groups = new Map<string, IndexedGroup>()
  const tags = new Map<string, readonly string[]>()
  const ambiguous = new Map<string, AmbiguousName>()
  const notes: string[] = []
  for (const folder of folders) {
    const found = skimFolder(folder)
    const replaced: Replaced[] = []
    const note = (name: string, file: string): void => {
      const [kind, before] = tasks.has(name) ? ['task', tasks.get(name)] : ['group', groups.get(name)?.file]
      if (before !== undefined && before !== file)
        replaced.push({ name, text: `${kind} "${name}" is ${shownPath(file)}, not ${shownPath(before)}` })
      tasks.delete(name)
      groups.delete(name)
      ambiguous.delete(name)
    }
    for (const [name, file] of found.tasks) {
      note(name, file)
      tasks.set(name, file)
    }
    for (const [name, group] of found.groups) {
      note(name, group.file)
      tags.delete(name)
      groups.set(name, group)
    }
    notes.push(...notesOf(replaced, folder))
    for (const [name, members] of found.tags) {
      const before = groups.get(name)
      if (before !== undefined) notes.push(`"${name}" is a tag of ${members.join(', ')}, not ${shownPath(before.file)}`)
      groups.delete(name)
      tags.set(name, [...(tags.get(name) ?? []), ...members])
    }
    for (const [name, problem] of found.ambiguous) ambiguous.set(name, problem)
  }
  return { tasks, groups, tags, ambiguous, notes }
}

interface Replaced {
  readonly name: string
  readonly text: string
}

/** Up to this many replaced names are listed; a folder may replace hundreds. */
const fewReplaced = 5

function notesOf(replaced: readonly Replaced[], folder: string): readonly string[] {
  if (replaced.length <= fewReplaced) return replaced.map(({ text }) => text)
  const names = replaced.slice(0, fewReplaced).map(({ name }) => name)
  const rest = replaced.length - names.length
  return [
    `${replaced.length.toLocaleString('en')} tasks and groups are those of ${shownPath(folder)}, not the ones of these names before: ${names.join(', ')} and ${rest.toLocaleString('en')} more`,
  ]
}

function skimFolder(folder: string): Omit<TaskIndex, 'notes'> {
  const tasks = new Map<string, string>()
  const groups = new Map<string, IndexedGroup>()
  const tags = new Map<string, string[]>()
  const ambiguous = new Map<string, AmbiguousName>()
  const reader = new NameReader()
  const refuse = (name: string, problem: string, file?: string): void => {
    const { problems, others } = ambiguous.get(name) ?? { problems: [], others: [] }
    ambiguous.set(name, {
      problems: [...problems, problem],
      others: file === undefined ? others : [...others, file],
    })
  }
  for (const file of yamlFiles(resolve(folder), folder)) {
    const names = reader.namesIn(file)
    if (names.type === 'nothing') continue
    const name = names.name ?? shownPath(file)
    const other = tasks.get(name) ?? groups.get(name)?.file
    if (other !== undefined) {
      const files = `${shownPath(other)} and ${shownPath(file)}`
      const place = placeOfName(file, names.type)
      refuse(name, `${place}  ${names.type} "${name}" is in two files: ${files}. Rename one.`, file)
    } else if (names.type === 'group') groups.set(name, { file, members: names.members })
    else {
      tasks.set(name, file)
      for (const tag of names.tags) tags.set(tag, [...(tags.get(tag) ?? []), name])
    }
  }
  for (const [tag, [task = '']] of tags) {
    const group = groups.get(tag)
    if (group === undefined) continue
    const files = `a tag in ${shownPath(tasks.get(task) ?? '')} and a group in ${shownPath(group.file)}`
    refuse(tag, `${placeOfName(group.file, 'group')}  "${tag}" is ${files}. Rename one.`)
  }
  return { tasks, groups, tags, ambiguous }
}

/** Lists the YAML files below a folder, sorted by name, so that the order is the same everywhere. */
export function yamlFiles(folder: string, given = folder): readonly string[] {
  const files: string[] = []
  for (const entry of entriesOf(folder, given).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    if (entry.isDirectory()) for (const file of yamlFiles(join(folder, entry.name))) files.push(file)
    else if (/\.ya?ml$/.test(entry.name)) files.push(join(folder, entry.name))
  }
  return files
}

function entriesOf(folder: string, given: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error
    throw new PipelineError('config', `no folder ${given}`, { cause: error })
  }
}

/** Whether a file looks like a task or group at all. Other YAML files may lie beside them. */
const isOfTasks =
  /^[ \t]*(?:- )?(?:task|group|dataset_path|doc_to_\w+|metric_list|output_type|aggregate_metric_list)[ \t]*:/m

const known = [...groupKeys, ...taskKeys]

/**
 * Finds what is wrong with files that offer no name. Most are templates for others to include, but some were meant as
 * a task or group and would be ignored silently.
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
    .filter(key => !known.includes(key) && /^(task|group)$/.test(nearest(key, known) ?? ''))
    .map(key => `${yaml.atKey([key])}  ${key}: no such key. Did you mean "${nearest(key, known) ?? ''}"?`)
  const isGroup =
    slips.length === 0 && keys.includes('group') && keys.some(key => /^(group_alias|aggregate_metric_list)$/.test(key))
  return isGroup ? [`${yaml.at(['group'])}  task: missing: the tasks of the group, a list`] : slips
}
