import type { Json } from '../../base/values/canonical-json.js'
import { parseList } from '../../base/python/written-list.js'

/** `A`, `B`, … */
export const letter = (index: number): string => String.fromCharCode(65 + index)

/** `A. red`, `B. teal`, …: the options with their letters, one each. */
export const lettered = (options: readonly string[]): readonly string[] =>
  options.map((option, index) => `${letter(index)}. ${option}`)

/** `(A) red`, `(B) teal`, …: the options with their letters in brackets, one each. */
export const bracketed = (options: readonly string[]): readonly string[] =>
  options.map((option, index) => `(${letter(index)}) ${option}`)

/** A field that must be a text. @throws Error that names the field. */
export function text(value: unknown, field: string): string {
  if (typeof value === 'string') return value
  throw new Error(`the field "${field}" must be a text, not ${JSON.stringify(value)}`)
}

/** A field that must be a list of texts. @throws Error that names the field. */
export function texts(value: unknown, field: string): readonly string[] {
  if (Array.isArray(value)) return value.map(item => text(item, field))
  throw new Error(`the field "${field}" must be a list of texts`)
}

/** A field with a list of options, which tables also hold as a text that Python printed. @throws Error that names the field. */
export const writtenOptions = (value: unknown, field: string): readonly string[] =>
  texts(typeof value === 'string' ? parseList(value) : value, field)

/**
 * The index of the choice with the best log-likelihood, of equals the first, from results of `[log-likelihood, is greedy]`.
 *
 * @throws Error where one has none.
 */
export function likeliest(results: readonly Json[]): number {
  const logprobs = results.map((result, i) => {
    const value: unknown = Array.isArray(result) ? result[0] : undefined
    if (typeof value !== 'number') throw new Error(`choice ${i} has no log-likelihood`)
    return value
  })
  return logprobs.indexOf(Math.max(...logprobs))
}
