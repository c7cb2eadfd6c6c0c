/** Rejects names and texts with control characters or dangerous keys, wherever in a job they occur. */
import { formatClientValue } from './job-policy.js'

/** Names that mean something else on objects of JavaScript. */
const reserved: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Keys that may have several lines. Their texts go to the model, never into a header, path or log line. */
const longTexts: ReadonlySet<string> = new Set(['system_instruction', 'gen_kwargs', 'model_args', 'judge_args'])

/** The maximum depth of values. Deeper values would exhaust the stack, and no configuration needs them. */
const deepest = 20

/** Control characters, line separators and marks that change the direction of writing. */
const acting = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
const actingInLines = /[^\P{Cc}\t\n\r]|\p{Cs}/u

/** Tells whether a text could act on a terminal, in a header or in a line of a log. */
export const isPlainLine = (text: string): boolean => !acting.test(text)

/** All such names and texts in a job. */
export const textProblems = (request: Readonly<Record<string, unknown>>): readonly string[] =>
  within(request, { key: '', depth: 0, mayHaveLines: false })

interface Place {
  readonly key: string
  readonly depth: number
  readonly mayHaveLines: boolean
}

function within(value: unknown, at: Place): readonly string[] {
  if (typeof value === 'string')
    return isFit(value, at) ? [] : [`${at.key}: ${formatClientValue(value)} has control characters`]
  if (typeof value !== 'object' || value === null) return []
  if (at.depth >= deepest) return [`${at.key}: values are nested more than ${deepest} deep`]
  if (Array.isArray(value))
    return value.flatMap((inner, index) => within(inner, { ...at, key: `${at.key}[${index}]`, depth: at.depth + 1 }))
  return Object.entries(value).flatMap(([name, inner]) => {
    const key = at.key === '' ? name : `${at.key}.${name}`
    if (reserved.has(name)) return [`${key}: no value may have the name ${name}`]
    if (!isPlainLine(name)) return [`${formatClientValue(key)}: the name has control characters`]
    return within(inner, { key, depth: at.depth + 1, mayHaveLines: at.mayHaveLines || longTexts.has(name) })
  })
}

const isFit = (text: string, { mayHaveLines }: Place): boolean =>
  mayHaveLines ? !actingInLines.test(text) : isPlainLine(text)
