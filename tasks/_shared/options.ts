import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import type { Json } from '../../base/values/canonical-json.js'
import { parseList } from '../../base/python/written-list.js'

/** The letter of an option: `A`, `B`, … */
export const letter = (index: number): string => String.fromCharCode(65 + index)

/** The options with letters: `A. red`, `B. teal`, … */
export const lettered = (options: readonly string[]): readonly string[] =>
  options.map((option, index) => `${letter(index)}. ${option}`)

/** The options with letters in brackets: `(A) red`, `(B) teal`, … */
export const bracketed = (options: readonly string[]): readonly string[] =>
  options.map((option, index) => `(${letter(index)}) ${option}`)

/** Checks that a field is a text. @throws Error that names the field. */
export function text(value: unknown, field: string): string {
  if (typeof value === 'string') return value
  throw new Error(`the field "${field}" must be a text, not ${JSON.stringify(value)}`)
}

/** Checks that a field is a list of texts. @throws Error that names the field. */
export function texts(value: unknown, field: string): readonly string[] {
  if (Array.isArray(value)) return value.map(item => text(item, field))
  throw new Error(`the field "${field}" must be a list of texts`)
}

/**
 * Reads a field with a list of options, which some tables contain as a text that Python printed.
 * @throws Error that names the field.
 */
export const writtenOptions = (value: unknown, field: string): readonly string[] =>
  texts(typeof value === 'string' ? parseList(value) : value, field)

/**
 * The index of the choice with the highest log-likelihood, the first one if several are equal. Results are
 * `[log-likelihood, is greedy]`.
 *
 *
 * @throws Error if a choice has no log-likelihood.
 */
export function likeliest(results: readonly Json[], { parity }: Pick<ScoringContext, 'parity'> = {}): number {
  const logprobs = results.map((result, i) => {
    const value: unknown = Array.isArray(result) ? result[0] : undefined
    if (typeof value !== 'number') throw new Error(`choice ${i} has no log-likelihood`)
    return value
  })
  // lmms-eval takes log-likelihoods for losses, and their lowest one.
  return logprobs.indexOf(parity === 'lmms-eval' ? Math.min(...logprobs) : Math.max(...logprobs))
}
