import { Option, type Command } from 'commander'
import { unused, type Unused } from '../../config/unused-keys.js'

/** Flags of lmms-eval that have no meaning here. They are accepted and ignored. */
export const unusedFlags: readonly Unused[] = Object.values(unused)

/** Adds them to a command. */
export function withUnusedFlags(command: Command): Command {
  command.optionsGroup('Of lmms-eval, taken and left unused (a note says why):')
  for (const { flags, why } of unusedFlags) command.addOption(new Option(flags, why))
  return command
}

/** One note about all given flags; undefined without any. Values are not shown, because they may be secrets. */
export function unusedNote(given: Readonly<Record<string, unknown>>): string | undefined {
  const found = unusedFlags.flatMap(({ flags, why }) => {
    const option = new Option(flags)
    return given[option.attributeName()] === undefined ? [] : [`${option.long ?? flags} (${why})`]
  })
  return found.length === 0 ? undefined : `no effect here: ${found.join(', ')}`
}
