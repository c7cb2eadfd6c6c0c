import type { SchemaElement } from 'hyparquet'

/** A value of a Parquet file. */
export type Cell = string | number | null

/** Requires that all fields of a row are cells. */
export type Flat<Row> = { readonly [Name in keyof Row]: Cell }

/** A column's type, and the cell of a row. */
export interface Column {
  /** `text`: UTF-8. `integer`: 32 bits. `wide`: an integer of 64 bits. `time`: milliseconds since 1970, in UTC. */
  readonly type: 'text' | 'integer' | 'wide' | 'time'
  readonly nullable?: boolean
  /**
   * The encoding of the values. `repeated`: few different values, stored as a dictionary if that saves space. `digest`:
   * text that does not compress. @default compressed text
   */
  readonly layout?: 'repeated' | 'digest'
}

/** One column for each field, in the order of the file. */
export type Columns<Row> = { readonly [Name in keyof Row & string]-?: Column }

/** The columns by name, for rows of any type. */
export type NamedColumns = readonly (readonly [name: string, column: Column])[]

/** Makes the schema of a Parquet file with these columns. */
export function makeParquetSchema(columns: NamedColumns): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.map(([name, column]) => element(name, column))]
}

function element(name: string, column: Column): SchemaElement {
  const repetition_type = column.nullable ? 'OPTIONAL' : 'REQUIRED'
  switch (column.type) {
    case 'text':
      return { name, repetition_type, type: 'BYTE_ARRAY', converted_type: 'UTF8' }
    case 'integer':
      return { name, repetition_type, type: 'INT32' }
    case 'wide':
      return { name, repetition_type, type: 'INT64' }
    case 'time':
      return { name, repetition_type, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }
  }
}
