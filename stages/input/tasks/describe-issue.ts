import type { z } from 'zod'
import { didYouMean } from '../../../base/suggest.js'
import { functionText, isFunctionRef } from './function-ref.js'
import type { ResolvedYaml } from './resolve-yaml.js'

/** What a schema knows of its top-level keys, for messages. */
export interface KnownKeys {
  readonly keys: readonly string[]
  /** What the value of a key must be, in words. */
  expectedOf(key: string): string | undefined
}

/** An issue of a schema as a person reads it: `file:line:column  key: expected this, given that`. */
export function describeIssue(issue: z.core.$ZodIssue, yaml: ResolvedYaml, known: KnownKeys): readonly string[] {
  const where = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    // More than that are another file than was meant, and each is looked for in it.
    return issue.keys.slice(0, 100).map(key => {
      const origin = yaml.origins.get(String(issue.path[0] ?? key))
      const names = issue.path.length === 0 ? known.keys : inner
      const place = origin?.atKey([...issue.path, key]) ?? yaml.at(issue.path)
      return `${place}  ${[...issue.path, key].map(String).join('.')}: no such key.${didYouMean(key, names)}`
    })
  if (issue.input === undefined && issue.path.length === 1) return [`${yaml.at([])}  ${where}: missing`]
  const expected = issue.path.length > 1 ? expectedInside(issue) : known.expectedOf(where)
  const input = describeValue(issue.input)
  const text = `${yaml.at(issue.path)}  ${where}: expected ${expected ?? expectedInside(issue)}, given ${input}`
  return [`${text}${nearestOption(issue)}`]
}

/** Keys of the entries of lists and mappings. */
const inner = [
  'name',
  'filter',
  'metric',
  'aggregation',
  'weight_by_size',
  'filter_list',
  'sampler',
  'samples',
  'split',
  'process_docs',
  'fewshot_indices',
  'doc_to_text',
  'doc_to_target',
  'doc_to_choice',
  'gen_prefix',
  'fewshot_delimiter',
  'target_delimiter',
]

const expectedInside = (issue: z.core.$ZodIssue): string => {
  // Of a union of all that JSON has.
  if (issue.message === 'Invalid input') return 'a text, a number, true, false, a list, or keys and values'
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`
  return issue.code === 'invalid_type'
    ? words(issue.expected)
    : issue.message.replace(/^(Invalid input: )?expected /, '')
}

const nearestOption = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_value' && typeof issue.input === 'string'
    ? didYouMean(issue.input, issue.values.map(String)).replace(/^ /, '. ')
    : ''

const words = (type: string): string =>
  ({ string: 'text', record: 'keys and values', object: 'keys and values', array: 'a list' })[type] ?? type

/** A value as a person would call it. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'nothing (null)'
  if (isFunctionRef(value)) return `!function ${functionText(value)}`
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'keys and values'
  return typeof value === 'string' ? `the text ${JSON.stringify(value)}` : `${typeof value} ${JSON.stringify(value)}`
}
