import { Option, type Command } from 'commander'
import { unused, type Unused } from '../../config/file/unused-keys.js'

/** Flags of lmms-eval that have no meaning here. They are accepted and ignored. */
export const unusedFlags: readonly Unused[] = Object.values(unused)

/** Adds the ignored flags to a command. Its help only mentions that they exist. */
export function withUnusedFlags(command: Command): Command {
  for (const { flags, why } of unusedFlags) command.addOption(new Option(flags, why).hideHelp())
  return command.addHelpText(
    'after',
    '\nFlags of lmms-eval without effect are accepted, and a note says why: docs/cli/eval.md lists them.',
  )
}

/** One note about all given flags; undefined without any. Values are not shown, because they may be secrets. */
export function unusedNote(options: Readonly<Record<string, unknown>>): string | undefined {
  const flagTexts = unusedFlags.flatMap(({ flags, why }) => {
    const option = new Option(flags)
    return options[option.attributeName()] === undefined ? [] : [`${option.long ?? flags} (${why})`]
  })
  return flagTexts.length === 0 ? undefined : `no effect here: ${flagTexts.join(', ')}`
}
