/**
 * Names the kind of a value that has another one than is expected, for messages. The value itself is left out, because
 * it may be long or secret: `a text`, `a list`, `an object with text, usage`, `a promise`, `nothing`.
 */
export function valueKind(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (value instanceof Promise) return 'a promise'
  if (typeof value === 'object') {
    const names = Object.keys(value)
    return names.length === 0 ? 'an empty object' : `an object with ${names.slice(0, 5).join(', ')}`
  }
  return typeof value === 'string' ? 'a text' : typeof value === 'boolean' ? String(value) : `a ${typeof value}`
}
