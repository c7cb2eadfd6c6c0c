import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { parse } from 'yaml'
import { shownPath } from '../../../base/shown-path.js'

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
    let keys: NameKeys = topLevel(text)
    for (const name of textsOf(value(text, 'include'))) {
      const included = isAbsolute(name) ? name : join(dirname(file), name)
      if (file === included || chain.includes(included)) continue
      keys = { ...this.#keysOf(included, [...chain, file]), ...keys }
    }
    return keys
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  } catch {
    // A file that is not there is told of when the task is loaded.
    return ''
  }
}

/** `file:line:column` of the name of a task or group in its file; the beginning of the file where it is included. */
export function placeOfName(file: string, key: 'task' | 'group'): string {
  const text = textOf(file)
  const found = new RegExp(`^${key}[ \\t]*:[ \\t]*`, 'm').exec(text)
  const line = text.slice(0, found?.index ?? 0).split('\n').length
  return `${shownPath(file)}:${line}:${(found?.[0].length ?? 0) + 1}`
}

const nameKeys = ['task', 'tag', 'group'] as const

function topLevel(text: string): NameKeys {
  const found = nameKeys.map(key => [key, value(text, key)] as const).filter(([, own]) => own !== undefined)
  return Object.fromEntries(found)
}

const topLevelValue = (key: string): RegExp => new RegExp(`^${key}[ \\t]*:(.*(?:\\n(?:[ \\t-].*|\\r?(?=\\n)))*)`, 'm')

const valuePatterns = {
  task: topLevelValue('task'),
  tag: topLevelValue('tag'),
  group: topLevelValue('group'),
  include: topLevelValue('include'),
}

/** The value of one top-level key. The rest of the file is not parsed: there may be thousands of files. */
function value(text: string, key: keyof typeof valuePatterns): unknown {
  const raw = valuePatterns[key].exec(text)?.[1]
  if (raw === undefined || plainWord.test(raw.trim())) return raw?.trim()
  if (/^\d+$/.test(raw.trim())) return raw.trim()
  const list = plainList(raw)
  if (list !== undefined) return list
  const given = parsed(raw)
  // What can't be read stands under the word that it begins with: loading it says what is wrong with it.
  return typeof given === 'object' && !Array.isArray(given) ? /^\s*([\w./-]+)/.exec(raw)?.[1] : given
}

/** A name or a path. */
const plainWord = /^(?:\.{1,2}\/)*[A-Za-z_][\w./+-]*$/

/** A list of nothing but plain words, which most are: `[a, b]`, or each on a line behind a dash. */
function plainList(raw: string): readonly string[] | undefined {
  const inBrackets = /^\s*\[([\w./+ ,-]*)\]\s*$/.exec(raw)?.[1]?.split(',')
  const onLines = /^\s*(?:\n\s*-[ \t]+[A-Za-z_][\w./+-]*[ \t]*)+\s*$/.test(raw) ? raw.trim().split('\n') : undefined
  const words = (inBrackets ?? onLines?.map(line => line.trim().slice(1)))?.map(word => word.trim())
  return words?.every(word => plainWord.test(word) && !reserved.test(word)) === true ? words : undefined
}

/** Words that YAML takes for something else than text. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/i

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
