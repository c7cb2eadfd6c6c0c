import { parquetSchema, type FileMetaData, type SchemaElement, type SchemaTree } from 'hyparquet'
import { readArrowSchema, type ArrowField } from '../arrow/schema-message.js'
import { scaleOf } from '../columns/decimals.js'
import {
  digitsOf,
  fieldsOf,
  itemsOf,
  structOf,
  timesOf,
  whole,
  type FloatFields,
  type Floats,
} from '../columns/floats.js'
import type { TimeKind, TimeUnit } from '../columns/times.js'

/** Which numbers of a Parquet file are floating-point or decimal ones, and which are counts of time. */
export function floatsInParquet(footer: FileMetaData): FloatFields {
  const written = footer.key_value_metadata?.find(({ key }) => key === 'ARROW:schema')?.value
  return floatsInColumns(parquetSchema(footer).children, written === undefined ? [] : arrowFields(written))
}

/** It only adds to what the file says itself. */
function arrowFields(written: string): readonly ArrowField[] {
  try {
    return readArrowSchema(written)
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

const floatsInColumns = (columns: readonly SchemaTree[], arrow: readonly ArrowField[]): FloatFields =>
  fieldsOf(
    columns.map(column => [column.element.name, column] as const),
    column =>
      floatsIn(
        column,
        arrow.find(({ name }) => name === column.element.name),
      ),
  )

function floatsIn({ element, children }: SchemaTree, arrow: ArrowField | undefined): Floats | undefined {
  const { type, converted_type: converted, logical_type: logical } = element
  const scale = scaleOf(element)
  if (scale !== undefined) return digitsOf(scale)
  if (children.length === 0) {
    if (type === 'FLOAT' || type === 'DOUBLE' || logical?.type === 'FLOAT16') return true
    return timesOf(timeIn(element, arrow)) ?? (type === 'INT64' ? whole : undefined)
  }
  if (converted === 'MAP') return undefined
  if (converted !== 'LIST') return structOf(floatsInColumns(children, arrow?.children ?? []))
  const [repeated] = children
  const item = repeated?.children.length === 1 ? repeated.children[0] : repeated
  return itemsOf(item && floatsIn(item, arrow?.children[0]))
}

const units = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' } as const

/** The zone of moments and lengths of time stand in Arrow's schema alone. */
function timeIn(element: SchemaElement, arrow: ArrowField | undefined): TimeKind | undefined {
  const { type, converted_type: converted, logical_type: logical } = element
  if (converted === 'DATE' || logical?.type === 'DATE') return { of: 'date' }
  if (logical?.type === 'TIME') return { of: 'time', unit: units[logical.unit] }
  if (logical?.type === 'TIMESTAMP') {
    const unit = units[logical.unit]
    return logical.isAdjustedToUTC ? { of: 'datetime', unit, zone: arrow?.zone ?? 'UTC' } : { of: 'datetime', unit }
  }
  const unit = unitOf(converted)
  if (unit !== undefined) return { of: converted?.startsWith('TIMESTAMP') === true ? 'datetime' : 'time', unit }
  if (type === 'INT96') return { of: 'datetime', unit: 'ns' }
  return type === 'INT64' && arrow?.duration !== undefined ? { of: 'duration', unit: arrow.duration } : undefined
}

const unitOf = (converted: string | undefined): TimeUnit | undefined =>
  /^TIME(STAMP)?_MILLIS$/.test(converted ?? '')
    ? 'ms'
    : /^TIME(STAMP)?_MICROS$/.test(converted ?? '')
      ? 'us'
      : undefined
