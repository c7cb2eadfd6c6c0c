import type { Feature, Features } from './features.js'
import type { TimeKind } from './times.js'

/**
 * The values that Python prints in another way than JSON: floating-point numbers, with a fraction (`3.0`); decimals,
 * with a fixed number of digits (`1.50`); integers that may be texts since JavaScript would round them; and times. It
 * applies to the value, to items of a list, or to fields.
 */
export type Floats = FloatLeaf | { readonly items: Floats } | { readonly fields: FloatFields }

export const whole = { whole: true } as const

export type FloatLeaf = true | typeof whole | { readonly digits: number } | { readonly time: TimeKind }

/** By name of the column or field. Numbers without an entry are integers. */
export type FloatFields = Readonly<Record<string, Floats>>

/** Returns the floating-point numbers of a schema. */
export function collectFloats(features: Features | undefined): FloatFields {
  return collectFloatFields(Object.entries(features ?? {}), floatsIn)
}

/** Keeps the fields that have an entry. */
export function collectFloatFields<T>(
  entries: readonly (readonly [string, T])[],
  read: (field: T) => Floats | undefined,
): FloatFields {
  return Object.fromEntries(
    entries.flatMap(([name, field]) => {
      const floats = read(field)
      return floats === undefined ? [] : [[name, floats]]
    }),
  )
}

export const makeItemFloats = (items: Floats | undefined): Floats | undefined =>
  items === undefined ? undefined : { items }

/** Describes decimals with `digits` digits behind the point. */
export const makeDigitFloats = (digits: number): Floats | undefined =>
  digits >= 0 && digits <= 100 ? { digits } : undefined

export const makeTimeFloats = (time: TimeKind | undefined): Floats | undefined => time && { time }

export const makeFieldFloats = (fields: FloatFields): Floats | undefined =>
  Object.keys(fields).length === 0 ? undefined : { fields }

function floatsIn(feature: Feature): Floats | undefined {
  switch (feature.type) {
    case 'value':
      return /^(float\d*|double)$/.test(feature.dtype) ? true : undefined
    case 'list':
      return makeItemFloats(floatsIn(feature.of))
    case 'struct':
      return makeFieldFloats(collectFloats(feature.fields))
    default:
      return undefined
  }
}

/** Merges two descriptions. A number is floating-point if it is floating-point in either. */
export function bothFloats(a: FloatFields, b: FloatFields): FloatFields {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return collectFloatFields(
    names.map(name => [name, name] as const),
    name => both(a[name], b[name]),
  )
}

function both(a: Floats | undefined, b: Floats | undefined): Floats | undefined {
  if (a === undefined || b === undefined) return a ?? b
  if (a === true || b === true) return true
  if ('items' in a) return 'items' in b ? makeItemFloats(both(a.items, b.items)) : a
  if (isLeaf(a)) return a
  return 'fields' in b ? makeFieldFloats(bothFloats(a.fields, b.fields)) : a
}

export const isLeaf = (floats: Floats): floats is FloatLeaf => floats === true || 'whole' in floats || isCount(floats)

/** Decimals and times, which files store as integers. */
export const isCount = (floats: Floats): floats is Extract<FloatLeaf, { digits: number } | { time: TimeKind }> =>
  floats !== true && ('digits' in floats || 'time' in floats)

/** Changes the numbers and times of a value, and texts that replace them. Missing values stay missing. */
export function mapNumbers(
  value: unknown,
  floats: Floats,
  change: (value: unknown, of: FloatLeaf) => unknown,
): unknown {
  if (isLeaf(floats)) return value === null || value === undefined ? value : change(value, floats)
  if (typeof value !== 'object' || value === null) return value
  if ('items' in floats) return Array.isArray(value) ? value.map(item => mapNumbers(item, floats.items, change)) : value
  if (Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const own = floats.fields[name]
      return [name, own === undefined ? item : mapNumbers(item, own, change)]
    }),
  )
}

/** Returns whether decimals or times occur in it. */
export function holdsCounts(floats: Floats): boolean {
  if (isLeaf(floats)) return isCount(floats)
  return 'items' in floats ? holdsCounts(floats.items) : Object.values(floats.fields).some(holdsCounts)
}
