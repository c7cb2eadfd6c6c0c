import type { FileMetaData, SchemaElement } from 'hyparquet'
import { owned } from '../parquet/parquet-file.js'

/**
 * A decimal number of so many digits behind the point: a number where that has all of its digits, else a text of them, as of
 * whole numbers beyond ±(2^53 − 1).
 */
export function decimalValue(unscaled: bigint, scale: number): number | string {
  const text = scaled(unscaled, scale)
  const value = Number(text)
  return Math.abs(value) < 1e21 && value.toFixed(Math.max(0, scale)) === text ? value : text
}

function scaled(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale))
  const sign = unscaled < 0n ? '-' : ''
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** A whole number as files have it that write its bytes, the most significant first, as a two's complement. */
export function wholeNumber(bytes: Uint8Array): bigint {
  const magnitude = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
  return BigInt.asIntN(8 * bytes.byteLength, magnitude)
}

/** How many digits the decimal numbers of a column have behind the point; `undefined` where it has none. */
export function scaleOf({
  converted_type: converted,
  logical_type: logical,
  scale,
}: SchemaElement): number | undefined {
  if (logical?.type === 'DECIMAL') return logical.scale
  return converted === 'DECIMAL' ? (scale ?? 0) : undefined
}

/**
 * A file whose decimal numbers are read as the whole ones that it has for them: the library would round them. What it refuses
 * are bytes.
 */
export const withoutDecimals = (metadata: FileMetaData): FileMetaData => ({
  ...metadata,
  schema: metadata.schema.map(element => (isRead(element) ? element : plain(element))),
})

const isRead = (element: SchemaElement): boolean =>
  scaleOf(element) === undefined && element.converted_type !== 'INTERVAL' && element.converted_type !== 'BSON'

function plain(element: SchemaElement): SchemaElement {
  const rest = { ...element }
  delete rest.converted_type
  delete rest.logical_type
  return rest
}

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
