import type { FileMetaData, SchemaElement } from 'hyparquet'
import { detachBytes } from '../parquet/parquet-file.js'

/**
 * Converts a decimal with `scale` digits behind the point: to a number where that keeps all digits, else to a text.
 */
export function decimalValue(unscaled: bigint, scale: number): number | string {
  const text = formatDecimal(unscaled, scale)
  const value = Number(text)
  return Math.abs(value) < 1e21 && value.toFixed(Math.max(0, scale)) === text ? value : text
}

function formatDecimal(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale))
  const sign = unscaled < 0n ? '-' : ''
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Reads an integer from big-endian bytes in two's complement. */
export function wholeNumber(bytes: Uint8Array): bigint {
  const magnitude = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
  return BigInt.asIntN(8 * bytes.byteLength, magnitude)
}

/** Returns the number of digits behind the point of a decimal column; `undefined` for other columns. */
export function readDecimalScale({
  converted_type: converted,
  logical_type: logical,
  scale,
}: SchemaElement): number | undefined {
  if (logical?.type === 'DECIMAL') return logical.scale
  return converted === 'DECIMAL' ? (scale ?? 0) : undefined
}

/**
 * Makes hyparquet read decimals as unscaled integers, since it would round them. Types that it rejects are read as
 * bytes.
 */
export const withoutDecimals = (metadata: FileMetaData): FileMetaData => ({
  ...metadata,
  schema: metadata.schema.map(element => (isRead(element) ? element : plain(element))),
})

const isRead = (element: SchemaElement): boolean =>
  readDecimalScale(element) === undefined && element.converted_type !== 'INTERVAL' && element.converted_type !== 'BSON'

function plain(element: SchemaElement): SchemaElement {
  const rest = { ...element }
  delete rest.converted_type
  delete rest.logical_type
  return rest
}

/**
 * Converts a value to the form that tasks see: integers as numbers, or as text beyond ±(2^53 − 1), missing values as
 * `null`, bytes unchanged.
 */
export function plainValue(value: unknown): unknown {
  switch (typeof value) {
    case 'undefined':
      return null
    case 'bigint':
      return plainInteger(value)
    case 'object':
      if (value === null) return null
      if (value instanceof Uint8Array) return detachBytes(value)
      if (Array.isArray(value)) return value.map(plainValue)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainValue(item)]))
    default:
      return value
  }
}

/** A text where a number would round it, so that an id prints the same. */
function plainInteger(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}
