import { didYouMean } from '../../../../base/suggest.js'
import type { Arguments, Value } from './values.js'

/** Arguments in the order of the names that a function has for them. @throws Error where one fits none. */
export function bound(
  name: string,
  parameters: readonly string[],
  { positional, named }: Arguments,
): readonly (Value | undefined)[] {
  if (positional.length > parameters.length)
    throw new Error(`${name} takes ${parameters.length} arguments, not ${positional.length}`)
  const values: (Value | undefined)[] = parameters.map((_, at) => positional[at])
  for (const [key, value] of named) {
    const at = parameters.indexOf(key)
    if (at < 0) throw new Error(`${name} has no argument "${key}".${didYouMean(key, parameters)}`)
    if (at < positional.length) throw new Error(`${name}: the argument "${key}" is given twice`)
    values[at] = value
  }
  return values
}
