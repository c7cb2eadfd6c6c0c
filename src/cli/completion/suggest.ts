/** Finds what may come next on a command line, from the commands and their options. */
import { Command, type Argument, type Option } from 'commander'
import { sampleKinds } from '../../reading/samples/sample-kinds.js'
import type { CommandEntry, Tools } from '../command.js'

/** A word that may come next. */
export interface Suggestion {
  readonly word: string
  readonly about?: string
}

/** The kinds of names that completion looks up. */
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
 * @param words the words after `pipeline`. The last one is at the cursor and may be empty
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
  if (read.open !== undefined) return completeValue(current, read.open, read, lookUp)
  const [, flag, value = ''] = /^(--[\w-]+)=(.*)$/.exec(current) ?? []
  const flagOption = flag === undefined ? undefined : findOption(command, flag)
  if (flag !== undefined)
    return flagOption === undefined ? [] : addPrefix(`${flag}=`, await completeValue(value, flagOption, read, lookUp))
  if (current.startsWith('-')) return startingWith(current, listOptions(command))
  const subcommands = command === top && rest.length === 0 ? listSubcommands(command) : []
  const argument = findArgument(command, read.positions)
  const kind = argument && kindOfArgument(command, argument)
  const names = kind === undefined ? asSuggestions(argument?.argChoices ?? []) : await lookUp(kind, read.flags)
  return startingWith(current, [...subcommands, ...names])
}

const asSuggestions = (words: readonly string[]): readonly Suggestion[] => words.map(word => ({ word }))

const addPrefix = (start: string, suggestions: readonly Suggestion[]): readonly Suggestion[] =>
  suggestions.map(each => ({ ...each, word: `${start}${each.word}` }))

const startingWith = (start: string, suggestions: readonly Suggestion[]): readonly Suggestion[] =>
  suggestions.filter(({ word }) => word.startsWith(start))

/** The subcommand that the words name, or the default one. */
function descend(
  top: Command,
  words: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const subcommand = top.commands.find(each => each.name() === words[0])
  if (subcommand !== undefined) return { command: subcommand, rest: words.slice(1) }
  const [first] = top.commands
  return { command: words.length > 0 && first !== undefined ? first : top, rest: words }
}

interface ReadLine {
  /** The option that needs a value as the next word. */
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
      const [, name = word, value] = /^(--[\w-]+)=(.*)$/.exec(word) ?? []
      const option = findOption(command, name)
      if (option === undefined) continue
      if (value !== undefined) flags[option.long ?? ''] = value
      else if (option.required || option.optional) open = option
    } else positions++
  }
  return { ...(open && { open }), positions, flags }
}

const findOption = (command: Command, word: string): Option | undefined =>
  command.options.find(({ long, short }) => word.replaceAll('_', '-') === long || word === short)

/** The words that an option takes, where these are few. */
function listWords({ flags, parseArg }: Option): readonly string[] {
  if (flags === '--samples <docs>') return sampleKinds
  return (parseArg as { readonly words?: readonly string[] } | undefined)?.words ?? []
}

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
  option: Option,
  { flags }: ReadLine,
  lookUp: NameLookup,
): Promise<readonly Suggestion[]> {
  const name = option.long ?? ''
  const kind = kindsOfOptions[name]
  if (kind === undefined) return startingWith(current, asSuggestions(listWords(option)))
  const start = lists.includes(name) ? current.slice(0, current.lastIndexOf(',') + 1) : ''
  const typedNames = start.split(',')
  const names = (await lookUp(kind, flags)).filter(({ word }) => !typedNames.includes(word))
  return startingWith(current, addPrefix(start, names))
}

function findArgument(command: Command, position: number): Argument | undefined {
  const commandArguments = command.registeredArguments
  return (
    commandArguments[position] ?? (commandArguments.at(-1)?.variadic === true ? commandArguments.at(-1) : undefined)
  )
}

/** The kind of names of an argument, by its name and its command. */
function kindOfArgument(command: Command, argument: Argument): NameKind | undefined {
  const name = argument.name()
  if (/^run/.test(name)) return 'runs'
  if (name === 'tag') return 'tags'
  if (!['name', 'pattern'].includes(name)) return undefined
  const owner = command.parent?.name()
  return command.name() === 'new' ? undefined : owner === 'tasks' ? 'tasks' : owner === 'models' ? 'models' : undefined
}
