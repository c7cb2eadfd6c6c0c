import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'

/**
 * Notes flags that are given again with another value, where the earlier value has no effect. A flag that collects its
 * values keeps the earlier ones and is left alone. Call it before the line is parsed.
 *
 * @returns the flags so far, as typed, in the order of the line
 */
export function watchReplaced(command: Command): () => readonly string[] {
  const replaced = new Set<string>()
  for (const each of withSubcommands(command)) {
    const values = new Map<string, unknown>()
    for (const option of each.options) {
      const name = option.attributeName()
      // Commander stores the value in a listener of its own, which was added first.
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

/** Returns whether a value still has what an earlier one said: it is equal, or it is a list or table that contains it. */
function isKept(earlier: unknown, value: unknown): boolean {
  if (isDeepStrictEqual(earlier, value)) return true
  if (typeof value !== 'object' || value === null) return false
  const has = (part: unknown): boolean => Object.values(value).some(one => isDeepStrictEqual(one, part))
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
