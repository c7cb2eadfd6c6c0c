import { isObject, type Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import { text } from './options.js'

/** Checks that docs' values are objects. @throws Error that shows the first other value. */
export const objects = (values: readonly Json[]): readonly JsonObject[] => values.map(object)

function object(value: Json): JsonObject {
  if (isObject(value)) return value
  throw new Error(`a doc's value must be keys and values, not ${JSON.stringify(value).slice(0, 200)}`)
}

/** Checks that a field is a number. @throws Error that names the field. */
export function number(value: unknown, field: string): number {
  if (typeof value === 'number') return value
  throw new Error(`the field "${field}" must be a number, not ${JSON.stringify(value)}`)
}

/** The id of a doc, a number or a text, as text. @throws Error that names the field. */
export function identifier(value: unknown, field: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new Error(`the field "${field}" must be a number or a text, not ${JSON.stringify(value)}`)
}

/** The path of a file in a benchmark's media folder. `name` is a doc's field. */
export const mediaPath = (folder: string, name: unknown, field: string): string => `${folder}/${text(name, field)}`
