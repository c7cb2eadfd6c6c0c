import type { Feature, Features } from './features.js'

/** Where values are floating-point numbers, which Python prints with a fraction (`3.0`): all of it, items of a list, or fields. */
export type Floats = true | { readonly items: Floats } | { readonly fields: FloatFields }

/** By name of the column or field. Where none is said, whole numbers are integers. */
export type FloatFields = Readonly<Record<string, Floats>>

/** Where a schema has floating-point numbers. */
export function floatsOf(features: Features | undefined): FloatFields {
  return fieldsOf(Object.entries(features ?? {}), floatsIn)
}

/** Those of the fields that have any. */
export function fieldsOf<T>(
  entries: readonly (readonly [string, T])[],
  read: (field: T) => Floats | undefined,
): FloatFields {
  return Object.fromEntries(
    entries.flatMap(([name, field]) => {
      const found = read(field)
      return found === undefined ? [] : [[name, found]]
    }),
  )
}

export const itemsOf = (items: Floats | undefined): Floats | undefined => (items === undefined ? undefined : { items })

export const structOf = (fields: FloatFields): Floats | undefined =>
  Object.keys(fields).length === 0 ? undefined : { fields }

function floatsIn(feature: Feature): Floats | undefined {
  switch (feature.type) {
    case 'value':
      return /^(float\d*|double)$/.test(feature.dtype) ? true : undefined
    case 'list':
      return itemsOf(floatsIn(feature.of))
    case 'struct':
      return structOf(floatsOf(feature.fields))
    default:
      return undefined
  }
}

/** What is a floating-point number in either. */
export function bothFloats(a: FloatFields, b: FloatFields): FloatFields {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return fieldsOf(
    names.map(name => [name, name] as const),
    name => both(a[name], b[name]),
  )
}

function both(a: Floats | undefined, b: Floats | undefined): Floats | undefined {
  if (a === undefined || b === undefined) return a ?? b
  if (a === true || b === true) return true
  if ('items' in a) return 'items' in b ? itemsOf(both(a.items, b.items)) : a
  return 'fields' in b ? structOf(bothFloats(a.fields, b.fields)) : a
}
