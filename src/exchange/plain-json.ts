import { isList, isObject, type Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'

/**
 * Replaces numbers that JSON cannot represent by the texts `NaN` and `Infinity`, as Python names them. A value without such a number is returned
 * unchanged.
 */
export const plainJson = (value: Json): Json => (hasOddNumber(value) ? replaceOddNumbers(value) : value)

/** {@link plainJson} for an object. */
export const plainObject = (value: JsonObject): JsonObject => (hasOddNumber(value) ? replacedIn(value) : value)

function hasOddNumber(value: Json | undefined): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (isList(value)) return value.some(hasOddNumber)
  return isObject(value) && Object.values(value).some(hasOddNumber)
}

function replaceOddNumbers(value: Json): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : formatOddNumber(value)
  if (isList(value)) return value.map(replaceOddNumbers)
  return isObject(value) ? replacedIn(value) : value
}

const replacedIn = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === undefined ? [] : [[name, replaceOddNumbers(inner)] as const],
    ),
  )

const formatOddNumber = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity')
