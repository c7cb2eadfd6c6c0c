/** Makes the tables of flags in docs/cli.md from the commands and the tables of options. */
import { Command, type Option } from 'commander'
import { commandTable } from '../../src/cli/command-table.js'
import type { Tools } from '../../src/cli/command.js'
import type { OptionGroup } from '../../src/config/option.js'
import { allOptions } from '../../src/config/options.js'
import { lineOptions, lmmsOptions } from '../../src/config/options/line-options.js'
import { jobPolicyOptions, serverOptions, workOptions } from '../../src/config/service-options.js'
import { unused } from '../../src/config/unused-keys.js'

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

/**
 * Returns the page's description of each flag, by flag and help text. The key includes the help text, because a command may describe a flag
 * differently.
 */
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

/** Formats a row: `` | `--repeats <n>`, `-n` | samples of each answer | ``. */
export function flagRow({ flags, description }: Option, words: ReadonlyMap<string, string>): string {
  const names = flags.split(', ').map(name => `\`${name}\``)
  return `| ${names.join(', ')} | ${(words.get(nameOf(flags, description)) ?? description).replaceAll('|', '\\|')} |`
}

/** Returns the page with updated rows in every table. A flag of a single command keeps its hand-written row, which may have links. */
export async function flagTables(page: string): Promise<string> {
  const words = wordsOf([allOptions, lineOptions, lmmsOptions, serverOptions, workOptions, jobPolicyOptions])
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
