import { PipelineError, messageOf } from '../../../base/errors.js'

const manyDigits = /\d{16}/
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** Put before the digits of a number that is held as a text; no text begins so by chance. */
const mark = '\u0000inexact:'

/**
 * Parses JSON without changing a number.
 *
 * @param place `file:line`, for messages
 * @throws PipelineError where it is no JSON, or a whole number is beyond ±(2^53 − 1), which reading would round in silence.
 */
export function parseExactJson(text: string, place: () => string): unknown {
  const value = parse(text, place)
  if (!manyDigits.test(text)) return value
  const marked = text.replace(stringOrNumber, token => (isInexact(token) ? JSON.stringify(mark + token) : token))
  const found = marked === text ? undefined : firstMarked(JSON.parse(marked), '')
  if (found === undefined) return value
  throw new PipelineError(
    'dataset',
    `${place()}  ${found.path}: ${found.digits} is too large for an exact number. Write it as text: "${found.digits}"`,
  )
}

function parse(text: string, place: () => string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new PipelineError('dataset', `${place()}  not JSON: ${messageOf(error)}`, { cause: error })
  }
}

const isInexact = (token: string): boolean => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))

function firstMarked(value: unknown, path: string): { path: string; digits: string } | undefined {
  if (typeof value === 'string') return value.startsWith(mark) ? { path, digits: value.slice(mark.length) } : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, item] of Object.entries(value)) {
    const found = firstMarked(item, Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}
