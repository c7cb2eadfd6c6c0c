import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { parse } from 'yaml'

/** What a file of tasks offers under which names. */
export type FileNames =
  | { readonly type: 'task'; readonly name: string; readonly tags: readonly string[] }
  | { readonly type: 'group'; readonly name: string | undefined; readonly members: readonly string[] }
  /** A template for others to include. */
  | { readonly type: 'nothing' }

/** The top-level keys that name something; texts, lists or anything else. */
interface NameKeys {
  readonly task?: unknown
  readonly tag?: unknown
  readonly group?: unknown
}

/** Reads names out of files. Each file is read once, however many include it. */
export class NameReader {
  readonly #read = new Map<string, Promise<NameKeys>>()

  async namesIn(file: string): Promise<FileNames> {
    const { task, tag, group } = await this.#keysOf(file, [])
    if (Array.isArray(task)) return { type: 'group', name: textsOf(group)[0], members: membersOf(task) }
    if (task === undefined || task === null) return { type: 'nothing' }
    // A name that is no text is taken as it is written, so that asking for it says what is wrong.
    return { type: 'task', name: nameOf(task), tags: [...textsOf(tag), ...textsOf(group)] }
  }

  /** Includes stand in for keys that the file itself does not have, the first listed first. */
  async #keysOf(file: string, chain: readonly string[]): Promise<NameKeys> {
    const own = this.#read.get(file) ?? this.#load(file, chain)
    this.#read.set(file, own)
    return own
  }

  async #load(file: string, chain: readonly string[]): Promise<NameKeys> {
    // A file that is not there is told of when the task is loaded.
    const text = await readFile(file, 'utf8').catch(() => '')
    let keys: NameKeys = topLevel(text)
    for (const name of textsOf(value(text, 'include'))) {
      const included = isAbsolute(name) ? name : join(dirname(file), name)
      if (file === included || chain.includes(included)) continue
      keys = { ...(await this.#keysOf(included, [...chain, file])), ...keys }
    }
    return keys
  }
}

const nameKeys = ['task', 'tag', 'group'] as const

function topLevel(text: string): NameKeys {
  const found = nameKeys.map(key => [key, value(text, key)] as const).filter(([, own]) => own !== undefined)
  return Object.fromEntries(found)
}

/** The value of one top-level key. The rest of the file is not parsed: there may be thousands of files. */
function value(text: string, key: string): unknown {
  const raw = new RegExp(`^${key}[ \\t]*:(.*(?:\\n(?:[ \\t-].*|\\r?(?=\\n)))*)`, 'm').exec(text)?.[1]
  if (raw === undefined || /^[A-Za-z_][\w./-]*$/.test(raw.trim())) return raw?.trim()
  if (/^\d+$/.test(raw.trim())) return raw.trim()
  const given = parsed(raw)
  // What can't be read stands under the word that it begins with: loading it says what is wrong with it.
  return typeof given === 'object' && !Array.isArray(given) ? /^\s*([\w./-]+)/.exec(raw)?.[1] : given
}

/** `null` where it can't be read. */
function parsed(raw: string): unknown {
  try {
    return (parse(`key:${raw}\n`, { logLevel: 'silent' }) as { readonly key?: unknown }).key
  } catch {
    return null
  }
}

function nameOf(task: unknown): string {
  return typeof task === 'string' ? (task.split(/\s/)[0] ?? '') : JSON.stringify(task)
}

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
