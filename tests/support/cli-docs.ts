/** Makes the lists of flags in docs/cli/ from the commands and the tables of options. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, type Option } from 'commander'
import { commandTable } from '../../src/cli/command-table.js'
import type { Tools } from '../../src/cli/command.js'
import type { OptionGroup } from '../../src/config/option.js'
import { allOptions } from '../../src/config/options.js'
import { kubernetesOptions, launchOptions, slurmOptions } from '../../src/config/launch-options.js'
import { lineOptions, lmmsOptions } from '../../src/config/options/line-options.js'
import { processOptions } from '../../src/config/options/process-options.js'
import { lmmsTrackOptions, trackOptions } from '../../src/config/options/track-options.js'
import { jobPolicyOptions, serverOptions, workOptions } from '../../src/config/service-options.js'

/** Returns all commands and subcommands by their command lines. */
export async function allCommands(): Promise<ReadonlyMap<string, Command>> {
  const found = new Map<string, Command>()
  const add = (command: Command, line: string): void => {
    found.set(line, command)
    for (const inner of command.commands) add(inner, `${line} ${inner.name()}`)
  }
  for (const entry of commandTable) {
    const command = new Command(entry.name)
    // A definition uses its tools only when the command runs.
    ;(await entry.load())(command, {} as Tools, () => undefined)
    add(command, `pipeline ${entry.name}`)
  }
  return found
}

/** The commands whose tables describe the flags that other commands share, the first one first. */
const homes = [
  { line: 'pipeline eval', link: '[flags of `pipeline eval`](eval.md#flags)' },
  { line: 'pipeline serve', link: '[flags of `pipeline serve`](service.md#pipeline-serve)' },
] as const

type Home = (typeof homes)[number]

const keyOf = (flags: string, help: string): string => `${flags}\n${help}`

/**
 * Returns the page's description of each flag, by flag and help text. The key includes the help text, because a command may describe a flag
 * differently.
 */
export function wordsOf(groups: readonly OptionGroup[]): ReadonlyMap<string, string> {
  const entries = groups.flatMap(group =>
    Object.values(group).flatMap(({ flag, help, docs, off }) => [
      [keyOf(flag, help), docs ?? help] as const,
      ...(off === undefined ? [] : [[keyOf(off.flag, off.help), off.help] as const]),
    ]),
  )
  return new Map(entries)
}

const allWords = wordsOf([
  allOptions,
  lineOptions,
  lmmsOptions,
  trackOptions,
  lmmsTrackOptions,
  processOptions,
  launchOptions,
  slurmOptions,
  kubernetesOptions,
  serverOptions,
  workOptions,
  jobPolicyOptions,
])

const keyOfOption = ({ flags, description }: Option): string => keyOf(flags, description)
const nameOf = ({ long, flags }: Option): string => long ?? flags
const visible = ({ options }: Command): readonly Option[] => options.filter(({ hidden }) => !hidden)

/** Formats a row: `` | `-n`, `--repeats <n>` | samples of each answer | ``. */
export function flagRow(option: Option, words = allWords): string {
  const names = option.flags.split(', ').map(name => `\`${name}\``)
  return `| ${names.join(', ')} | ${(words.get(keyOfOption(option)) ?? option.description).replaceAll('|', '\\|')} |`
}

/** The flags of a command: those that its own tables describe, and those that another command's tables describe. */
export interface SplitFlags {
  readonly own: readonly Option[]
  readonly shared: readonly { readonly home: Home; readonly options: readonly Option[] }[]
}

/** Splits the flags of a command into its own and those that it shares with a home command. */
export function splitFlags(line: string, commands: ReadonlyMap<string, Command>): SplitFlags {
  const at = homes.findIndex(home => home.line === line)
  const sources = at < 0 ? homes : homes.slice(0, at)
  const keys = sources.map(home => ({ home, keys: new Set(optionsOf(home.line, commands).map(keyOfOption)) }))
  const homeOf = (option: Option): Home | undefined => keys.find(source => source.keys.has(keyOfOption(option)))?.home
  const all = optionsOf(line, commands)
  return {
    own: all.filter(option => homeOf(option) === undefined),
    shared: sources.flatMap(home => {
      const options = all.filter(option => homeOf(option) === home)
      return options.length === 0 ? [] : [{ home, options }]
    }),
  }
}

const optionsOf = (line: string, commands: ReadonlyMap<string, Command>): readonly Option[] => {
  const command = commands.get(line)
  return command === undefined ? [] : visible(command)
}

/** Names the shared flags, or the missing ones if these are fewer. */
function sharedLine({ home, options }: SplitFlags['shared'][number], commands: ReadonlyMap<string, Command>): string {
  const has = new Set(options.map(keyOfOption))
  const missing = splitFlags(home.line, commands).own.filter(option => !has.has(keyOfOption(option)))
  const list = (named: readonly Option[]): string => named.map(option => `\`${nameOf(option)}\``).join(', ')
  if (missing.length === 0) return `Also all ${home.link}.`
  return missing.length < options.length
    ? `Also all ${home.link}, except ${list(missing)}.`
    : `Also these ${home.link}: ${list(options)}.`
}

const folder = join(import.meta.dirname, '../../docs/cli')

/** The pages of docs/cli/ by their file names. */
export const readCliPages = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder)
      .filter(name => name.endsWith('.md'))
      .map(name => [name, readFileSync(join(folder, name), 'utf8')]),
  )

/** Where the section of a command begins and ends in a page: at its heading, and at the heading of the next command. */
function sectionAt(page: string, line: string): readonly [start: number, end: number] | undefined {
  const heading = new RegExp(`^#+ \`${line}\`.*$`, 'm').exec(page)
  if (heading === null) return undefined
  const body = heading.index + heading[0].length
  const next = page.slice(body).search(/^#+ `pipeline /m)
  return [body, next < 0 ? page.length : body + next]
}

/** The text about a command, without its heading. */
export function sectionOf(page: string, line: string): string | undefined {
  const at = sectionAt(page, line)
  return at && page.slice(...at)
}

const tables = /^\| flag \| \|\n\| --- \| --- \|\n((?:\|.*\n)*)/gm

/**
 * Returns the section with the rows and lists that the command has. Each row stays in its table. A flag that no table has is added behind
 * the flag that precedes it in the command's help, which is about the same subject. A row that a merge left twice is kept once.
 */
function updatedSection(section: string, line: string, commands: ReadonlyMap<string, Command>): string {
  const { own, shared } = splitFlags(line, commands)
  const isNamedIn = (row: string, option: Option): boolean =>
    new RegExp(`\`${nameOf(option)}[ \`]`).test(row.split(' | ')[0] ?? '')
  const listed = new Set<Option>()
  const written = [...section.matchAll(tables)].map(([, rows = '']) =>
    rows.split('\n').flatMap(row => {
      const option = own.find(known => isNamedIn(row, known))
      if (option === undefined || listed.has(option)) return []
      listed.add(option)
      return [option]
    }),
  )
  for (const [index, option] of own.entries()) {
    if (listed.has(option)) continue
    const before = own[index - 1]
    const table = before && written.find(rows => rows.includes(before))
    if (before === undefined || table === undefined) written.at(-1)?.push(option)
    else table.splice(table.indexOf(before) + 1, 0, option)
  }
  let index = 0
  const withRows = section.replace(tables, (whole: string, rows: string) => {
    const current = written[index] ?? []
    index += 1
    return whole.slice(0, whole.length - rows.length) + current.map(option => `${flagRow(option)}\n`).join('')
  })
  return shared.reduce((text, part) => {
    const link = part.home.link.replace(/[[\]().*+?^$|]/g, '\\$&')
    // A merge may leave the line twice.
    const lines = new RegExp(`^Also (?:all|these) ${link}.*(?:\\nAlso (?:all|these) ${link}.*)*$`, 'm')
    return text.replace(lines, () => sharedLine(part, commands))
  }, withRows)
}

/** Returns a page with updated flags in the section of each command that it describes. */
export function updatedCliPage(page: string, commands: ReadonlyMap<string, Command>): string {
  return [...commands.keys()].reduce((text, line) => {
    const at = sectionAt(text, line)
    if (at === undefined) return text
    return text.slice(0, at[0]) + updatedSection(text.slice(...at), line, commands) + text.slice(at[1])
  }, page)
}
