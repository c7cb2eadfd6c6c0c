import { readFile, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { PipelineError, systemCode } from '../../../base/errors.js'
import { shownPath } from '../../../base/shown-path.js'

/** The names that folders of task files offer. */
export interface TaskIndex {
  /** File by name. */
  readonly tasks: ReadonlyMap<string, string>
  /** Names by tag or group. */
  readonly groups: ReadonlyMap<string, readonly string[]>
  /** What a person should know: a name that stands for another task than before. */
  readonly notes: readonly string[]
}

/**
 * Finds the tasks below `folders`. Of a name in several of them the last folder's wins, with a note: so a user's own
 * task stands in for a built-in one.
 *
 * Files are skimmed for their names, not checked: that is done when a task is asked for.
 *
 * @throws PipelineError where a folder is not there, or one folder has a name twice.
 */
export async function indexTasks(folders: readonly string[]): Promise<TaskIndex> {
  const tasks = new Map<string, string>()
  const groups = new Map<string, readonly string[]>()
  const notes: string[] = []
  for (const folder of folders) {
    const found = await skimFolder(folder)
    for (const [name, file] of found.tasks) {
      const before = tasks.get(name)
      if (before !== undefined && before !== file)
        notes.push(`task "${name}" is ${shownPath(file)}, not ${shownPath(before)}`)
      tasks.set(name, file)
    }
    for (const [name, members] of found.groups) groups.set(name, [...(groups.get(name) ?? []), ...members])
  }
  return { tasks, groups, notes }
}

interface Skimmed {
  readonly tasks: ReadonlyMap<string, string>
  readonly groups: ReadonlyMap<string, readonly string[]>
}

async function skimFolder(folder: string): Promise<Skimmed> {
  const tasks = new Map<string, string>()
  const groups = new Map<string, string[]>()
  const problems: string[] = []
  const addTo = (group: string, members: readonly string[]): void =>
    void groups.set(group, [...(groups.get(group) ?? []), ...members])
  for (const file of await yamlFiles(resolve(folder), folder)) {
    const { names, members, groupName } = skim(await readFile(file, 'utf8'))
    if (members !== undefined) addTo(groupName ?? shownPath(file), members)
    if (names === undefined) continue
    const other = tasks.get(names.task)
    if (other !== undefined)
      problems.push(`task "${names.task}" is in two files: ${shownPath(other)} and ${shownPath(file)}. Rename one.`)
    tasks.set(names.task, file)
    for (const tag of names.tags) addTo(tag, [names.task])
  }
  if (problems.length > 0) throw new PipelineError('config', problems)
  return { tasks, groups }
}

/** In the order of their names, so that it is the same everywhere. */
async function yamlFiles(folder: string, given = folder): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error
    throw new PipelineError('config', `no folder ${given}`, { cause: error })
  })
  const files: string[] = []
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    if (entry.isDirectory()) files.push(...(await yamlFiles(join(folder, entry.name))))
    else if (/\.ya?ml$/.test(entry.name)) files.push(join(folder, entry.name))
  }
  return files
}

interface Names {
  readonly names?: { readonly task: string; readonly tags: readonly string[] }
  readonly members?: readonly string[]
  readonly groupName?: string
}

const nameKeys = /^(task|tag|group)\s*:/m

/** The names in a file. A file without them is a template for others to include. */
function skim(text: string): Names {
  if (!nameKeys.test(text)) return {}
  const [task, tag, group] = ['task', 'tag', 'group'].map(key => topLevel(text, key))
  if (Array.isArray(task)) return { members: textsOf(task), ...(typeof group === 'string' ? { groupName: group } : {}) }
  return typeof task === 'string' ? { names: { task, tags: [...textsOf(tag), ...textsOf(group)] } } : {}
}

/** The value of one top-level key. The rest of the file is not parsed: there may be thousands of files. */
function topLevel(text: string, key: string): unknown {
  const raw = new RegExp(`^${key}[ \\t]*:(.*(?:\\n(?:[ \\t-].*|\\r?(?=\\n)))*)`, 'm').exec(text)?.[1]
  if (raw === undefined || /^[A-Za-z_][\w./-]*$/.test(raw.trim())) return raw?.trim()
  try {
    return (parse(`key:${raw}\n`, { logLevel: 'silent' }) as { readonly key?: unknown } | null)?.key
  } catch {
    return undefined // Nobody asked for this file yet; loading it says what is wrong with it.
  }
}

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as readonly unknown[]) : [value]).filter(item => typeof item === 'string')
