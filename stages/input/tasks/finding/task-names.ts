import { statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { RecentMap } from '../../../../base/collections/recent-map.js'
import { readTextSync } from '../../../../base/files/files.js'
import { parseYamlFile, readTopLevel } from '../yaml/yaml-file.js'

/** The names that a YAML file offers, and their kinds. */
type FileNames =
  | { readonly type: 'task'; readonly name: string; readonly tags: readonly string[] }
  | { readonly type: 'group'; readonly name: string | undefined; readonly members: readonly string[] }
  /** A template for others to include. */
  | { readonly type: 'nothing' }

/**
 * Reads the names that files offer. Each file is read once, however many include it. It is synchronous: for hundreds
 * of small files, asynchronous reads cost many times more, and nothing can proceed without the names.
 */
export class NameReader {
  readonly #read = new Map<string, NameKeys>()

  namesIn(file: string): FileNames {
    const { task, tag, group } = this.#keysOf(file, [])
    if (Array.isArray(task)) return { type: 'group', name: collectTexts(group)[0], members: listMemberNames(task) }
    if (task === undefined || task === null) return { type: 'nothing' }
    // A name that is not a text keeps its spelling, so that using it reports the problem.
    return { type: 'task', name: formatTaskName(task), tags: [...collectTexts(tag), ...collectTexts(group)] }
  }

  /** Includes supply keys that the file itself does not have, the first listed first. */
  #keysOf(file: string, chain: readonly string[]): NameKeys {
    const own = this.#read.get(file) ?? this.#load(file, chain)
    this.#read.set(file, own)
    return own
  }

  #load(file: string, chain: readonly string[]): NameKeys {
    let keys = ownKeys(file)
    for (const name of collectTexts(keys.include)) {
      const included = isAbsolute(name) ? name : join(dirname(file), name)
      if (file === included || chain.includes(included)) continue
      keys = { ...this.#keysOf(included, [...chain, file]), ...keys }
    }
    return keys
  }
}

const namingKeys = new Set(['task', 'tag', 'group', 'include'])

interface RememberedKeys {
  readonly stamp: string
  readonly keys: NameKeys
}

/** A worker of the service indexes the same folders for each of its jobs, and a thousand files take longer than a small job. */
const remembered = new RecentMap<string, RememberedKeys>(20_000)

/** Reads the keys of a file without its includes. Files that did not change since this process started are read once. */
function ownKeys(file: string): NameKeys {
  const stamp = computeStamp(file)
  const cachedNames = remembered.get(file)
  if (stamp !== undefined && cachedNames?.stamp === stamp) return cachedNames.keys
  const text = readFileText(file)
  const allKeys = quickNames(text) ?? namesByReader(text, file)
  // The other values of a file may be large. A key that is absent stays absent, because an include may supply it.
  const keys: NameKeys = Object.fromEntries(Object.entries(allKeys).filter(([name]) => namingKeys.has(name)))
  if (stamp !== undefined) remembered.set(file, { stamp, keys })
  return keys
}

/** Identifies the state of a file. Undefined if it changed recently, because two changes may then have equal times. */
function computeStamp(file: string): string | undefined {
  try {
    const { size, mtimeNs, ctimeNs, ino, mtimeMs } = statSync(file, { bigint: true })
    return Number(mtimeMs) < performance.timeOrigin ? `${ino} ${size} ${mtimeNs} ${ctimeNs}` : undefined
  } catch {
    // Reading the file reports the problem.
    return undefined
  }
}

/** An unreadable file is listed under the word that it begins with; loading it reports the problem. */
function namesByReader(text: string, file: string): NameKeys {
  const { values, isWhole } = readTopLevel(text, file)
  if (isWhole || Array.isArray(values['task'])) return values
  // A file with only group keys is reported by `tasks validate`.
  if (values['group'] !== undefined) return { ...values, task: undefined }
  const [, word] = /^["']?task["']?[ \t]*:[ \t]*["']?([\w./-]+)/m.exec(text) ?? []
  return word === undefined ? values : { ...values, task: word }
}

function readFileText(file: string): string {
  try {
    return readTextSync(file)
  } catch {
    // An unreadable file is reported when the task is loaded.
    return ''
  }
}

/** Returns `file:line:column` of a task's or group's name; the beginning of the file where the name is included. */
export function placeOfName(file: string, key: 'task' | 'group'): string {
  return parseYamlFile(readFileText(file), file).at([key])
}

const formatTaskName = (task: unknown): string => (typeof task === 'string' ? task : JSON.stringify(task))

/** Returns the names of a group's members, including inline members. */
function listMemberNames(list: readonly unknown[]): readonly string[] {
  return list.flatMap(item => {
    if (typeof item === 'string') return [item]
    if (typeof item !== 'object' || item === null) return []
    const { task, group } = item as NameKeys
    return typeof group === 'string' && typeof task !== 'string' ? [group] : typeof task === 'string' ? [task] : []
  })
}

const collectTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as readonly unknown[]) : [value]).filter(item => typeof item === 'string')

/** The values of the naming keys that a file has. */
interface NameKeys {
  readonly task?: unknown
  readonly tag?: unknown
  readonly group?: unknown
  readonly include?: unknown
}

/**
 * Reads the names in a task file without parsing all of it, since a folder may hold thousands of files.
 *
 * It answers only where the YAML reader would give the same result: for files of `key: value` lines at the left
 * margin whose names are single words or lists of them.
 *
 * @returns `undefined` where the YAML reader must be used
 */
export function quickNames(text: string): NameKeys | undefined {
  if (unsure.test(text)) return undefined
  const valuesByKey = new Map<string, unknown>()
  let isFirst = true
  for (let at = 0; at < text.length;) {
    if (text.startsWith('---\n', at) && isFirst) {
      at += 4
      continue
    }
    const end = endOfLine(text, at)
    const line = text.slice(at, end)
    if (line.trim() === '' || line.startsWith('#')) {
      at = end + 1
      continue
    }
    isFirst = false
    const [keyText, doubleQuoted, singleQuoted, plain] = keyAtMargin.exec(line) ?? []
    const key = doubleQuoted ?? singleQuoted ?? plain
    if (keyText === undefined || key === undefined) return undefined
    const start = at + keyText.length
    const next = endOfValue(text, start)
    if (next === undefined) return undefined
    at = next
    if (!nameKeys.has(key)) continue
    const value = simpleValue(text.slice(start, next))
    if (value === undefined || valuesByKey.has(key)) return undefined
    valuesByKey.set(key, value)
  }
  return Object.fromEntries(valuesByKey)
}

const nameKeys: ReadonlySet<string> = new Set(['task', 'tag', 'group', 'include'])

/** Other line breaks than `\n`, other spaces, and characters that YAML does not allow. */
const unsure = /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u0085\u2028\u2029\ufeff]/

const keyAtMargin = /^(?:"([\w-]+)"|'([\w-]+)'|([A-Za-z_][\w-]*))[ \t]*:(?=\s|$)/

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/**
 * Returns the offset of the line after a value whose first line continues at `start`; `undefined` where it is not
 * obvious.
 */
function endOfValue(text: string, start: number): number | undefined {
  const first = text.slice(start, endOfLine(text, start))
  const sign = /^[ \t]*(?:!\S+[ \t]+)?(\S)/.exec(first)?.[1] ?? ''
  const isBlock = sign === '|' || sign === '>'
  let at = isBlock ? endOfLine(text, start) + 1 : afterLine(text, start)
  while (at !== undefined && at < text.length) {
    const line = text.slice(at, endOfLine(text, at))
    const isWithin = /^[ \t]/.test(line) || line.trim() === '' || (sign === '' && /^-(?:[ \t]|\r?$)/.test(line))
    if (!isWithin) break
    at = isBlock ? at + line.length + 1 : afterLine(text, at)
  }
  return at
}

/** Returns the offset of the next line, or of the line after the quoted text that begins here. */
function afterLine(text: string, at: number): number | undefined {
  const end = endOfLine(text, at)
  const line = text.slice(at, end)
  if (closesOnItsLine(line)) return end + 1
  const [before] = /^[ \t]*(?:-[ \t]+)*(?:[\w-]+:[ \t]+)?(?=["'])/.exec(line) ?? []
  if (before === undefined) return undefined
  quotedToLineEnd.lastIndex = at + before.length
  return quotedToLineEnd.test(text) ? quotedToLineEnd.lastIndex : undefined
}

const quotedToLineEnd = /(?:"(?:[^"\\]|\\[^])*"|'(?:[^']|'')*')[ \t]*\r?(?:\n|$)/y

/** Returns whether all quotes and brackets of a line are closed in it. Otherwise the next line may only look like a key. */
const closesOnItsLine = (line: string): boolean => !opened.test(line.replaceAll(closed, '_'))

const closed = /(?<=^|[\s[{,:])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/g
const opened = /(?:^|[\s[{,:])["']|[[{](?![^\]}]*[\]}]\s*(?:#.*)?$)/

/** Reads a name, a path, or a list of them: `null` for an empty value, `undefined` for any other. */
function simpleValue(raw: string): string | readonly string[] | null | undefined {
  const valueText = raw.trim()
  if (valueText === '') return null
  const [, text] = oneWord.exec(valueText) ?? []
  if (text !== undefined) return reserved.test(text) ? undefined : text
  const quoted = /^"([^"\\\n]+)"$|^'([^'\n]+)'$/.exec(valueText)
  if (quoted !== null) return quoted[1] ?? quoted[2]
  const inBrackets = /^\[([\w./+ ,"'-]*)\]$/.exec(valueText)?.[1]?.split(',')
  const onLines = /^-[ \t]/.test(valueText)
    ? valueText.split(/\n[ \t]*-[ \t]+/).map(line => line.replace(/^-[ \t]+/, ''))
    : undefined
  const words = (inBrackets ?? onLines)?.map(word => simpleValue(word))
  return words?.every(word => typeof word === 'string') === true ? words : undefined
}

/** A trailing comment is allowed. */
const oneWord = /^((?:\.{1,2}\/)*[A-Za-z_][\w./+-]*)(?:[ \t]+#[^\n]*)?$/

/** Words that YAML does not read as texts. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/i
