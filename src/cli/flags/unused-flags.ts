import { Option, type Command } from 'commander'
import { unused, type Unused } from '../../config/unused-keys.js'

/** Flags of lmms-eval that stand in command lines that people have, and say nothing here. */
export const unusedFlags: readonly Unused[] = Object.values(unused)

/** Adds them to a command. */
export function withUnusedFlags(command: Command): Command {
  command.optionsGroup('Of lmms-eval, taken and left unused (a note says why):')
  for (const { flags, why } of unusedFlags) command.addOption(new Option(flags, why))
  return command
}

/** One note on all that were given; none where none was. Values are not shown: they may hold secrets. */
export function unusedNote(given: Readonly<Record<string, unknown>>): string | undefined {
  const found = unusedFlags.flatMap(({ flags, why }) => {
    const option = new Option(flags)
    return given[option.attributeName()] === undefined ? [] : [`${option.long ?? flags} (${why})`]
  })
  return found.length === 0 ? undefined : `no effect here: ${found.join(', ')}`
}
