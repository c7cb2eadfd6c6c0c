/** Describes invalid values in messages. */

/** The wording of a check's messages. */
export interface GivenWording {
  /** Files have keys and values, and requests in JSON have objects. @default 'file' */
  readonly from?: 'file' | 'json' | undefined
  /** Leaves out the value itself, which may be a secret or belong to somebody else. @default false */
  readonly isHidden?: boolean | undefined
  /** Names values that only the caller recognises, such as references to functions. */
  readonly nameOf?: ((value: unknown) => string | undefined) | undefined
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  set: 'a list',
  object: 'keys and values',
  record: 'keys and values',
  map: 'keys and values',
  null: 'nothing (null)',
  undefined: 'nothing',
  date: 'a date',
  function: 'a function',
  never: 'no value',
}

const jsonKinds = { ...kinds, object: 'an object', record: 'an object', map: 'an object', null: 'null' }

/** The kinds of values that schemas expect, in plain English. */
export const kindNames = ({ from }: GivenWording): Readonly<Record<string, string>> =>
  from === 'json' ? jsonKinds : kinds

/** The longest text that a message quotes. Longer ones may be media. */
const mostQuoted = 200

/** Names a value by its kind, and quotes it if it is short: `the text "x"`, `the number 3`, `a list`, `nothing`. */
export function givenText(value: unknown, wording: GivenWording = {}): string {
  const own = wording.nameOf?.(value)
  if (own !== undefined) return own
  if (typeof value === 'boolean') return String(value)
  if (value === '') return 'an empty text'
  const names = kindNames(wording)
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  if (Array.isArray(value) && value.length === 0) return 'an empty list'
  if (wording.isHidden === true || !['string', 'number'].includes(kind)) return names[kind] ?? `a ${kind}`
  if (typeof value !== 'string') return `the number ${String(value)}`
  return value.length > mostQuoted ? `a text of ${value.length} characters` : `the text ${JSON.stringify(value)}`
}
