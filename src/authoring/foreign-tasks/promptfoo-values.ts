/** Values as promptfoo reads and prints them. */
import { isList, isObject, type Json } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'

/** Splits a text at its commas. A part in double quotes may hold commas, and `""` is a quotation mark in it. */
export const splitValues = (text: string): readonly string[] =>
  (text.match(/(?:"(?:[^"]|"")*"|[^,"]|"(?=[^"]*$))+|(?<=,)(?=,|$)|^(?=,|$)/g) ?? ['']).map(part => {
    const trimmed = part.trim()
    return /^"(?:[^"]|"")*"$/.test(trimmed) ? trimmed.slice(1, -1).replaceAll('""', '"') : trimmed
  })

/** Prints a value as JavaScript's templates do: `true`, not Python's `True`. */
export const printValue = (value: string | number | boolean | null): string => (value === null ? '' : String(value))

/**
 * Makes the variables of a test texts, as its prompts print them.
 *
 * @returns the values, or the name of a variable that a template uses as more than a text, and which would be printed or compared as Python's
 */
export function printVariables(
  vars: JsonObject,
  prompts: readonly string[],
): { readonly values: JsonObject } | { readonly wrong: string } {
  const printed: Record<string, Json> = {}
  for (const [name, value] of Object.entries(vars)) {
    if (value === undefined) continue
    if (typeof value === 'string' || isList(value)) {
      printed[name] = value
      continue
    }
    const uses = prompts.flatMap(prompt => listUses(prompt, name))
    const isPlain = uses.every(use => use.trim() === name)
    if (isObject(value) ? uses.some(use => use.trim() === name) : !isPlain && typeof value !== 'number')
      return { wrong: name }
    printed[name] = isObject(value) || !isPlain ? value : printValue(value)
  }
  return { values: printed }
}

/** The expressions and tags of a template in which a name stands. */
const listUses = (prompt: string, name: string): readonly string[] =>
  Array.from(
    prompt.matchAll(/\{\{-?([^]*?)-?\}\}|\{%-?([^]*?)-?%\}/g),
    ([, output, tag]) => output ?? `% ${tag ?? ''}`,
  ).filter(use => new RegExp(`(?<![\\w.])${name}(?!\\w)`).test(use))
