import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'

/**
 * Records flags that are repeated with another value, which makes the earlier value ineffective. Flags that collect values are ignored. Call it
 * before the line is parsed.
 *
 * @returns the flags so far, as typed, in the order of the line
 */
export function watchReplaced(command: Command): () => readonly string[] {
  const replaced = new Set<string>()
  for (const each of withSubcommands(command)) {
    const values = new Map<string, unknown>()
    for (const option of each.options) {
      const name = option.attributeName()
      // Commander's own listener was added first, so the value is stored already.
      each.on(`option:${option.name()}`, () => {
        const value: unknown = each.getOptionValue(name)
        if (values.has(name) && !isKept(values.get(name), value)) replaced.add(option.long ?? option.flags)
        values.set(name, value)
      })
    }
  }
  return () => [...replaced]
}

const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(subcommand => withSubcommands(subcommand)),
]

/** Tells whether a value includes the earlier one: it is equal, or it is a list or table that contains it. */
function isKept(earlier: unknown, value: unknown): boolean {
  if (isDeepStrictEqual(earlier, value)) return true
  if (typeof value !== 'object' || value === null) return false
  const has = (part: unknown): boolean => Object.values(value).some(element => isDeepStrictEqual(element, part))
  if (typeof earlier !== 'object' || earlier === null) return has(earlier)
  if (Array.isArray(earlier)) return earlier.every(has)
  const now = new Map(Object.entries(value))
  return Object.entries(earlier).every(
    ([key, part]) => isDeepStrictEqual(now.get(key), part) || (Array.isArray(part) && isKept(part, now.get(key))),
  )
}

/** One note about all of them. Values are not shown, because they may be secrets. */
export const replacedNote = (flags: readonly string[]): string =>
  `note: given more than once with different values: ${flags.join(', ')}. The last value counts.`
