import { owned } from '../parquet/parquet-file.js'

/**
 * A value of a column as tasks see it: whole numbers as numbers, or as text beyond ±(2^53 − 1), nothing as `null`, bytes as they
 * are.
 */
export function plainValue(value: unknown): unknown {
  switch (typeof value) {
    case 'undefined':
      return null
    case 'bigint':
      return plainInteger(value)
    case 'object':
      if (value === null) return null
      if (value instanceof Uint8Array) return owned(value)
      if (Array.isArray(value)) return value.map(plainValue)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainValue(item)]))
    default:
      return value
  }
}

/** As a text where a number would round it: an id prints the same. */
function plainInteger(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}
