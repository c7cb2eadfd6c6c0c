/** Copies an object without some of its fields. */
export function without<T extends object, K extends keyof T>(object: T, ...names: readonly K[]): Omit<T, K> {
  const copy = { ...object }
  for (const name of names) Reflect.deleteProperty(copy, name)
  return copy
}

/** Copies an object without its fields that are `null`. */
export const withoutNulls = (object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
