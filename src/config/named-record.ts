import { z } from 'zod'

/** Replaces the key `__proto__` while zod parses a record, because zod drops that key. */
const standIn = '\0__proto__'

const renameKey = (value: unknown, from: string, to: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, from)
    ? Object.fromEntries(Object.entries(value).map(([key, item]: [string, unknown]) => [key === from ? to : key, item]))
    : value

/** A record keyed by users' names, such as tasks, including `__proto__`. */
export const namedRecord = <Value extends z.ZodType>(value: Value) =>
  z.preprocess(
    record => renameKey(record, '__proto__', standIn),
    z.record(z.string(), value).transform(read => renameKey(read, standIn, '__proto__') as typeof read),
  )
