/** The columns of a run's table for the Python package `datasets`: their Parquet schema, and their features. */
import type { SchemaElement } from 'hyparquet'
import type { JsonObject } from '../../../../cache/records.js'

/** The types of columns in exported datasets. */
export type ColumnType = 'string' | 'int32' | 'int64' | 'float64' | 'strings' | 'floats' | 'image' | 'audio'

/** The columns by name, in the order of the file. */
export type TableColumns = readonly (readonly [name: string, type: ColumnType])[]

export const makeSchema = (columns: TableColumns): SchemaElement[] => [
  { name: 'schema', num_children: columns.length },
  ...columns.flatMap(([name, type]) => elements(name, type)),
]

function elements(name: string, type: ColumnType): SchemaElement[] {
  const optional = { name, repetition_type: 'OPTIONAL' } as const
  switch (type) {
    case 'string':
      return [{ ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' }]
    case 'int32':
      return [{ ...optional, type: 'INT32' }]
    case 'int64':
      return [{ ...optional, type: 'INT64' }]
    case 'float64':
      return [{ ...optional, type: 'DOUBLE' }]
    case 'strings':
      return makeListElements(name, elements('element', 'string'))
    case 'floats':
      return makeListElements(name, elements('element', 'float64'))
    case 'image':
    case 'audio':
      return makeListElements(name, [
        { name: 'element', repetition_type: 'OPTIONAL', num_children: 2 },
        { name: 'bytes', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY' },
        { name: 'path', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
      ])
  }
}

const makeListElements = (name: string, element: readonly SchemaElement[]): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ...element,
]

/** The value of the key `huggingface` in a Parquet file's metadata. A list of one feature is read by old and new versions of `datasets`. */
export const featureMetadata = (columns: TableColumns): string =>
  JSON.stringify({ info: { features: Object.fromEntries(columns.map(([name, type]) => [name, feature(type)])) } })

function feature(type: ColumnType): JsonObject | readonly JsonObject[] {
  switch (type) {
    case 'image':
      return [{ _type: 'Image' }]
    case 'audio':
      return [{ _type: 'Audio' }]
    case 'strings':
      return [{ dtype: 'string', _type: 'Value' }]
    case 'floats':
      return [{ dtype: 'float64', _type: 'Value' }]
    default:
      return { dtype: type, _type: 'Value' }
  }
}

/** The features as a card's `dataset_info` lists them. */
export const cardFeatures = (columns: TableColumns): readonly JsonObject[] =>
  columns.map(([name, type]): JsonObject => {
    const item = { strings: 'string', floats: 'float64', image: 'image', audio: 'audio' }[type as string]
    return item === undefined ? { name, dtype: type } : { name, list: item }
  })
