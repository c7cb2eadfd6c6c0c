/**
 * Reads tables with names from users as keys: tasks, metrics, columns, labels. A name may be `constructor`, `toString` or `__proto__`, which every
 * JavaScript object inherits.
 */

/** Returns the table's own value for a name, ignoring inherited properties. */
export function ownValue<Value>(table: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined
}

/** Sets a value in a plain object, even for the name `__proto__`. */
export function setValue<Value>(table: Record<string, Value>, name: string, value: Value): void {
  if (name === '__proto__')
    Object.defineProperty(table, name, { value, enumerable: true, writable: true, configurable: true })
  else table[name] = value
}

/** Creates an empty table without inherited properties, so that any name can be assigned. */
export const emptyTable = <Value>(): Record<string, Value> => Object.create(null) as Record<string, Value>
