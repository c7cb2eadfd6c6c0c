/** The tables of flags in docs/cli.md, made of the commands and of the tables of options. */
import { Command, type Option } from 'commander'
import { commandTable } from '../../src/cli/command-table.js'
import type { Tools } from '../../src/cli/command.js'
import type { OptionGroup } from '../../src/config/option.js'
import { allOptions, lineOptions, lmmsOptions } from '../../src/config/options.js'
import { unused } from '../../src/config/unused-keys.js'

/** All commands and subcommands, by how they are typed. */
export async function allCommands(): Promise<ReadonlyMap<string, Command>> {
  const found = new Map<string, Command>()
  const add = (command: Command, line: string): void => {
    found.set(line, command)
    for (const inner of command.commands) add(inner, `${line} ${inner.name()}`)
  }
  for (const entry of commandTable) {
    const command = new Command(entry.name)
    // Definitions only keep what they are given for when they are run.
    ;(await entry.load())(command, {} as Tools, () => undefined)
    add(command, `pipeline ${entry.name}`)
  }
  return found
}

/** What the page says of each flag of an option, or without effect, by the flag and its help: a command may have other words. */
export function wordsOf(groups: readonly OptionGroup[]): ReadonlyMap<string, string> {
  const entries = groups.flatMap(group =>
    Object.values(group).flatMap(({ flag, help, docs, off }) => [
      [nameOf(flag, help), docs ?? help] as const,
      ...(off === undefined ? [] : [[nameOf(off.flag, off.help), off.help] as const]),
    ]),
  )
  const without = Object.values(unused).map(({ flags, why }) => [nameOf(flags, why), `no effect: ${why}`] as const)
  return new Map([...entries, ...without])
}

const nameOf = (flags: string, help: string): string => `${flags}\n${help}`

/** One row: `` | `--repeats <n>`, `-n` | samples of each answer | ``. */
export function flagRow({ flags, description }: Option, words: ReadonlyMap<string, string>): string {
  const names = flags.split(', ').map(name => `\`${name}\``)
  return `| ${names.join(', ')} | ${(words.get(nameOf(flags, description)) ?? description).replaceAll('|', '\\|')} |`
}

/**
 * The page with the rows of every table as they are. A flag of one command alone keeps the row that is written by hand, which may
 * have links.
 */
export async function flagTables(page: string): Promise<string> {
  const words = wordsOf([allOptions, lineOptions, lmmsOptions])
  let text = page
  for (const [line, command] of await allCommands()) {
    const heading = new RegExp(`^#+ \`${line}\`.*$`, 'm').exec(text)
    if (heading === null) continue
    const start = text.indexOf('| flag | |\n| --- | --- |\n', heading.index)
    const body = heading.index + heading[0].length
    const next = text.slice(body).search(/^#+ /m)
    if (start < 0 || (next >= 0 && start > body + next)) continue
    const rows = start + '| flag | |\n| --- | --- |\n'.length
    const length = /^(?:\|.*\n)*/.exec(text.slice(rows))?.[0].length ?? 0
    const written = text.slice(rows, rows + length).split('\n')
    const made = command.options.flatMap(option => {
      if (option.hidden) return []
      const byHand = words.has(nameOf(option.flags, option.description))
        ? undefined
        : written.find(row => new RegExp(`\`${option.long ?? option.flags}[ \`]`).test(row.split(' | ')[0] ?? ''))
      return [byHand ?? flagRow(option, words)]
    })
    text = `${text.slice(0, rows)}${made.map(row => `${row}\n`).join('')}${text.slice(rows + length)}`
  }
  return text
}
