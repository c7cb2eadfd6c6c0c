import { memberOf } from './methods.js'
import { Missing, Tuple, present, type Value } from './values.js'
import { itemAt } from './items.js'

/** What a filter's `attribute="a.b"` takes out of an item: field by field, an index where it is a number. */
export function attributeOf(item: Value, path: Value, otherwise?: Value): Value {
  const names = typeof path === 'string' ? path.split('.') : [path]
  let value = item
  for (const name of names) {
    const key = typeof name === 'string' && /^\d+$/.test(name) ? Number(name) : name
    value = environmentItem(value, key)
    if (value instanceof Missing && otherwise !== undefined) value = otherwise
  }
  return value
}

/** `a["b"]`: an item, else a field; else what is missing. */
export function environmentItem(value: Value, key: Value): Value {
  const found = present(value)
  const item = itemAt(found, key)
  if (item !== undefined) return item
  const member = typeof key === 'string' ? memberOf(found, key) : undefined
  return member === undefined ? new Missing(missingText(key)) : member
}

/** `a.b`: a method or field, else an item; else what is missing. */
export function environmentField(value: Value, name: string): Value {
  const found = present(value)
  const member = memberOf(found, name)
  if (member !== undefined) return member
  const item = itemAt(found, name)
  return item === undefined ? new Missing(missingText(name)) : item
}

const missingText = (key: Value): string =>
  key instanceof Tuple
    ? 'an item is not there'
    : `"${typeof key === 'string' ? key : JSON.stringify(key)}" is not there`
