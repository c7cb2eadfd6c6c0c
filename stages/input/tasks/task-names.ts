import { dirname, isAbsolute, join } from 'node:path'
import { readTextSync } from '../../../base/files.js'
import { quickNames, type NameKeys } from './quick-names.js'
import { parseYamlFile, readTopLevel } from './yaml-file.js'

/** What a file of tasks offers under which names. */
export type FileNames =
  | { readonly type: 'task'; readonly name: string; readonly tags: readonly string[] }
  | { readonly type: 'group'; readonly name: string | undefined; readonly members: readonly string[] }
  /** A template for others to include. */
  | { readonly type: 'nothing' }

/**
 * Reads names out of files. Each file is read once, however many include it. Synchronously: of hundreds of small files,
 * waiting for each costs many times what reading does, and nothing else can be done before the names are known.
 */
export class NameReader {
  readonly #read = new Map<string, NameKeys>()

  namesIn(file: string): FileNames {
    const { task, tag, group } = this.#keysOf(file, [])
    if (Array.isArray(task)) return { type: 'group', name: textsOf(group)[0], members: membersOf(task) }
    if (task === undefined || task === null) return { type: 'nothing' }
    // A name that is no text is taken as it is written, so that asking for it says what is wrong.
    return { type: 'task', name: nameOf(task), tags: [...textsOf(tag), ...textsOf(group)] }
  }

  /** Includes stand in for keys that the file itself does not have, the first listed first. */
  #keysOf(file: string, chain: readonly string[]): NameKeys {
    const own = this.#read.get(file) ?? this.#load(file, chain)
    this.#read.set(file, own)
    return own
  }

  #load(file: string, chain: readonly string[]): NameKeys {
    const text = textOf(file)
    let keys = quickNames(text) ?? namesByReader(text, file)
    for (const name of textsOf(keys.include)) {
      const included = isAbsolute(name) ? name : join(dirname(file), name)
      if (file === included || chain.includes(included)) continue
      keys = { ...this.#keysOf(included, [...chain, file]), ...keys }
    }
    return keys
  }
}

/** What can't be read stands under the word that it begins with: loading it says what is wrong with it. */
function namesByReader(text: string, file: string): NameKeys {
  const { values, isWhole } = readTopLevel(text, file)
  if (isWhole || Array.isArray(values['task'])) return values
  // Keys of a group alone are a group that is told of by `tasks validate`.
  if (values['group'] !== undefined) return { ...values, task: undefined }
  const [, word] = /^["']?task["']?[ \t]*:[ \t]*["']?([\w./-]+)/m.exec(text) ?? []
  return word === undefined ? values : { ...values, task: word }
}

function textOf(file: string): string {
  try {
    return readTextSync(file)
  } catch {
    // A file that can't be read is told of when the task is loaded.
    return ''
  }
}

/** `file:line:column` of the name of a task or group in its file; the beginning of the file where it is included. */
export function placeOfName(file: string, key: 'task' | 'group'): string {
  return parseYamlFile(textOf(file), file).at([key])
}

const nameOf = (task: unknown): string => (typeof task === 'string' ? task : JSON.stringify(task))

/** Names of a group's members, also of those that are described in place. */
function membersOf(list: readonly unknown[]): readonly string[] {
  return list.flatMap(item => {
    if (typeof item === 'string') return [item]
    if (typeof item !== 'object' || item === null) return []
    const { task, group } = item as NameKeys
    return typeof group === 'string' && typeof task !== 'string' ? [group] : typeof task === 'string' ? [task] : []
  })
}

const textsOf = (given: unknown): string[] =>
  (Array.isArray(given) ? (given as readonly unknown[]) : [given]).filter(item => typeof item === 'string')
