import { PipelineError } from '../../../base/errors.js'
import { owned } from './parquet-file.js'

/**
 * A value of a column as tasks see it: whole numbers as numbers, times as ISO text, nothing as `null`, bytes as they are.
 *
 * @throws PipelineError where a whole number is too large to be held exactly.
 */
export function plainValue(value: unknown, place: () => string): unknown {
  switch (typeof value) {
    case 'undefined':
      return null
    case 'bigint':
      return plainInteger(value, place)
    case 'object':
      if (value === null) return null
      if (value instanceof Uint8Array) return owned(value)
      if (value instanceof Date) return value.toISOString()
      if (Array.isArray(value)) return value.map(item => plainValue(item, place))
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainValue(item, place)]))
    default:
      return value
  }
}

function plainInteger(value: bigint, place: () => string): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new PipelineError('dataset', `${place()}: ${value} is too large for an exact number. Write it as text.`)
}
