import type { JsonObject } from '../../../cache/records.js'

/**
 * Checks whether an answer follows an instruction with these arguments.
 *
 * @throws Error that names the argument that is missing or of the wrong type.
 */
export type Instruction = (response: string, args: JsonObject) => boolean

export function text(args: JsonObject, name: string): string {
  const value = args[name]
  if (typeof value === 'string') return value
  throw wrong(args, name, 'a text')
}

export function texts(args: JsonObject, name: string): readonly string[] {
  const value = args[name]
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value
  throw wrong(args, name, 'a list of texts')
}

export function count(args: JsonObject, name: string): number {
  const value = args[name]
  if (typeof value === 'number' && value >= 0) return value
  throw wrong(args, name, 'a number from 0')
}

/** Tells whether `actual` and `wanted` are in the relation that the argument names. */
export function isInRelation(
  actual: number,
  args: JsonObject,
  names: { readonly wanted: string; readonly by: string },
): boolean {
  const [wanted, by] = [count(args, names.wanted), args[names.by]]
  if (by === 'less than') return actual < wanted
  if (by === 'at least') return actual >= wanted
  throw wrong(args, names.by, '"less than" or "at least"')
}

const wrong = (args: JsonObject, name: string, expected: string): Error =>
  new Error(
    `the argument "${name}" must be ${expected}, not ${args[name] === undefined ? 'absent' : JSON.stringify(args[name])}`,
  )
