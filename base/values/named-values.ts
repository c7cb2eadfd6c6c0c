/**
 * Tables that are looked up by names of users: of tasks, metrics, columns, labels. `constructor`, `toString` and `__proto__` are names
 * like any other there, and on every object of JavaScript they mean something else.
 */

/** What the table itself has under the name. */
export function ownValue<Value>(table: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined
}

/** Sets a value of a table that others use as a plain object. */
export function setValue<Value>(table: Record<string, Value>, name: string, value: Value): void {
  if (name === '__proto__')
    Object.defineProperty(table, name, { value, enumerable: true, writable: true, configurable: true })
  else table[name] = value
}

/** An empty table to be filled by assignments, also under those names. */
export const emptyTable = <Value>(): Record<string, Value> => Object.create(null) as Record<string, Value>
