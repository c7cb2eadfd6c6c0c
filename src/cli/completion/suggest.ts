/** Finds what may come next on a command line, from the commands and their options. */
import { Command, type Option } from 'commander'
import type { CommandEntry, Tools } from '../command.js'

/** A word that may come next. */
export interface Suggestion {
  readonly word: string
  readonly about?: string
}

/** The kinds of names that are looked up where a line needs one. */
export type NameKind = 'models' | 'tasks' | 'runs' | 'tags'

/** Looks up names of a kind. A kind that cannot be read has none. */
export type NameLookup = (kind: NameKind, flags: Readonly<Record<string, string>>) => Promise<readonly Suggestion[]>

/** The sources of suggestions. */
export interface Sources {
  readonly commands: readonly CommandEntry[]
  readonly lookUp: NameLookup
}

/**
 * Suggests the next word.
 *
 * @param words those after `pipeline`; the last is the one at the cursor, which may be empty
 */
export async function suggestWords(
  words: readonly string[],
  { commands, lookUp }: Sources,
): Promise<readonly Suggestion[]> {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const [name] = before
  if (name === undefined || name === 'help')
    return startingWith(
      current,
      commands.map(({ name: word, summary }) => ({ word, about: summary })),
    )
  const entry = commands.find(each => each.name === name)
  if (entry === undefined) return []
  const top = new Command(entry.name)
  // A definition uses its tools only when the command runs.
  ;(await entry.load())(top, {} as Tools, () => undefined)
  const { command, rest } = descend(top, before.slice(1))
  const read = readLine(command, rest)
  if (read.open !== undefined) return completeValue(current, optionNames(read.open), read, lookUp)
  if (current.startsWith('-')) return startingWith(current, listOptions(command))
  const subcommands = command === top && rest.length === 0 ? listSubcommands(command) : []
  const kind = kindOfArgument(command, read.positions)
  const names = kind === undefined ? [] : await lookUp(kind, read.flags)
  return startingWith(current, [...subcommands, ...names])
}

const startingWith = (start: string, all: readonly Suggestion[]): readonly Suggestion[] =>
  all.filter(({ word }) => word.startsWith(start))

/** The subcommand that the words name, or the default one. */
function descend(
  top: Command,
  words: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const named = top.commands.find(each => each.name() === words[0])
  if (named !== undefined) return { command: named, rest: words.slice(1) }
  const [first] = top.commands
  return { command: words.length > 0 && first !== undefined ? first : top, rest: words }
}

interface ReadLine {
  /** The option whose value comes next. */
  readonly open?: Option
  /** The number of words that are no options. */
  readonly positions: number
  /** Values of options by their long names. */
  readonly flags: Readonly<Record<string, string>>
}

function readLine(command: Command, words: readonly string[]): ReadLine {
  const flags: Record<string, string> = {}
  let positions = 0
  let open: Option | undefined
  for (const word of words) {
    if (open !== undefined) {
      flags[open.long ?? ''] = word
      open = undefined
    } else if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => word.replaceAll('_', '-') === long || word === short)
      if (option !== undefined && (option.required || option.optional)) open = option
    } else positions++
  }
  return { ...(open && { open }), positions, flags }
}

const optionNames = ({ long, short }: Option): string => long ?? short ?? ''

const listOptions = (command: Command): readonly Suggestion[] =>
  command.options.flatMap(({ hidden, long, description }) =>
    hidden || typeof long !== 'string' ? [] : [{ word: long, about: description }],
  )

const listSubcommands = (command: Command): readonly Suggestion[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map(each => ({ word: each.name(), about: each.description() }))

/** The names that options take. Others take values that only the person knows, or files. */
const kindsOfOptions: Readonly<Record<string, NameKind>> = {
  '--model': 'models',
  '--judge-model': 'models',
  '--tasks': 'tasks',
  '--task': 'tasks',
  '--tag': 'tags',
  '--baseline': 'runs',
  '--against': 'runs',
  '--with': 'runs',
}

/** Options that take several names with commas between. */
const lists: readonly string[] = ['--tasks']

async function completeValue(
  current: string,
  option: string,
  { flags }: ReadLine,
  lookUp: NameLookup,
): Promise<readonly Suggestion[]> {
  const kind = kindsOfOptions[option]
  if (kind === undefined) return []
  const start = lists.includes(option) ? current.slice(0, current.lastIndexOf(',') + 1) : ''
  const taken = start.split(',')
  const names = (await lookUp(kind, flags)).filter(({ word }) => !taken.includes(word))
  return startingWith(
    current,
    names.map(each => ({ ...each, word: `${start}${each.word}` })),
  )
}

/** The kind of names of an argument, by its name and its command. */
function kindOfArgument(command: Command, position: number): NameKind | undefined {
  const all = command.registeredArguments
  const argument = all[position] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined)
  if (argument === undefined) return undefined
  const name = argument.name()
  if (/^run/.test(name)) return 'runs'
  if (name === 'tag') return 'tags'
  if (!['name', 'pattern'].includes(name)) return undefined
  const owner = command.parent?.name()
  return command.name() === 'new' ? undefined : owner === 'tasks' ? 'tasks' : owner === 'models' ? 'models' : undefined
}
