import { isObject, type Json } from './canonical-json.js'

/** One place where two JSON values are not the same. `undefined` where a side has nothing there. */
export interface Difference {
  /** `config.generation.max_new_tokens`, `messages[0].content[1].text`. */
  readonly path: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** The innermost places where two JSON values differ, in the order of their paths. */
export function differences(before: Json | undefined, after: Json | undefined, path = ''): readonly Difference[] {
  if (before === after) return []
  const isArray = Array.isArray(before) && Array.isArray(after)
  if (!isArray && !(isObject(before) && isObject(after))) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }]
  }
  const left = before as Readonly<Record<string, Json | undefined>>
  const right = after as Readonly<Record<string, Json | undefined>>
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()
  const step = (key: string): string => (isArray ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`)
  return keys.flatMap(key => differences(left[key], right[key], step(key)))
}
