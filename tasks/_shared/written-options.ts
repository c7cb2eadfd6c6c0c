import { parseList } from '../../base/written-list.js'
import { texts } from './options.js'

/** A field with a list of options, which tables also hold as a text that Python printed. @throws Error that names the field. */
export const writtenOptions = (value: unknown, field: string): readonly string[] =>
  texts(typeof value === 'string' ? parseList(value) : value, field)
