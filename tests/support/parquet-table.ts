import { parquetWriteBuffer } from 'hyparquet-writer'

type Schema = NonNullable<Parameters<typeof parquetWriteBuffer>[0]['schema']>

/** Writes rows as a Parquet file. Types follow from the values: texts, numbers, bytes, lists and objects. */
export function parquetOf(
  rows: readonly Readonly<Record<string, unknown>>[],
  codec: 'SNAPPY' | 'UNCOMPRESSED' = 'SNAPPY',
): Uint8Array {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const columns = names.map(name => ({ name, data: rows.map(row => row[name] ?? null) }))
  const schema = [
    { name: 'root', num_children: names.length },
    ...columns.flatMap(({ name, data }) => elements(name, data)),
  ]
  return new Uint8Array(parquetWriteBuffer({ columnData: columns, schema, codec }))
}

function elements(name: string, values: readonly unknown[]): Schema {
  const there: readonly unknown[] = values.filter(value => value !== null && value !== undefined)
  const [first] = there
  const optional = { name, repetition_type: 'OPTIONAL' } as const
  if (typeof first === 'boolean') return [{ ...optional, type: 'BOOLEAN' }]
  if (typeof first === 'number') return [{ ...optional, type: there.every(Number.isInteger) ? 'INT32' : 'DOUBLE' }]
  if (first instanceof Uint8Array) return [{ ...optional, type: 'BYTE_ARRAY' }]
  if (Array.isArray(first)) {
    const items = elements('element', there.flat())
    return [
      { ...optional, num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...items,
    ]
  }
  if (typeof first !== 'object') return [{ ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' }]
  const objects = there as readonly Readonly<Record<string, unknown>>[]
  const parts = [...new Set(objects.flatMap(object => Object.keys(object)))]
  const inner = parts.flatMap(part =>
    elements(
      part,
      objects.map(object => object[part]),
    ),
  )
  return [{ ...optional, num_children: parts.length }, ...inner]
}
