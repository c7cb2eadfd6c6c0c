import type { SchemaElement } from 'hyparquet'

export type Cell = string | number | null

/** An interface of cells and nothing else. */
export type Flat<Row> = { readonly [Name in keyof Row]: Cell }

export interface Column {
  /** `text`: UTF-8. `integer`: 32 bits. `time`: milliseconds since 1970, in UTC. */
  readonly type: 'text' | 'integer' | 'time'
  readonly nullable?: boolean
  /**
   * How the values are laid out. `repeated`: there are few different ones, as a dictionary where that pays. `digest`: text
   * that no compressor shrinks. Default: compressed as it is.
   */
  readonly layout?: 'repeated' | 'digest'
}

/** One column a field, in the order of the file. */
export type Columns<Row> = { readonly [Name in keyof Row & string]-?: Column }

/** The columns by name, whatever their row's type. */
export type NamedColumns = readonly (readonly [name: string, column: Column])[]

export function schemaOf(columns: NamedColumns): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.map(([name, column]) => element(name, column))]
}

function element(name: string, column: Column): SchemaElement {
  const repetition_type = column.nullable ? 'OPTIONAL' : 'REQUIRED'
  switch (column.type) {
    case 'text':
      return { name, repetition_type, type: 'BYTE_ARRAY', converted_type: 'UTF8' }
    case 'integer':
      return { name, repetition_type, type: 'INT32' }
    case 'time':
      return { name, repetition_type, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }
  }
}
