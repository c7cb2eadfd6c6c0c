import { pythonRegex } from '../../../../base/python-regex.js'

/** Patterns, as Python has them, and what comes in the place of each of their matches, one rule after another. */
export type Rules = readonly (readonly [pattern: RegExp, replacement: string])[]

export const rulesOf = (rules: readonly (readonly [pattern: string, replacement: string])[]): Rules =>
  rules.map(([pattern, replacement]) => [pythonRegex(pattern, 'g'), replacement])

export const applied = (text: string, rules: Rules): string =>
  rules.reduce((changed, [pattern, replacement]) => changed.replace(pattern, replacement), text)
