import { PipelineError, messageOf } from '../../../base/errors.js'

const manyDigits = /\d{16}/
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const stringOrName = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g
const mayHoldName = /Infinity|NaN/

/**
 * Parses JSON without changing a number: a whole one beyond ±(2^53 − 1), which would be rounded, is a text of its digits. `NaN` and
 * `Infinity` are numbers, too, as Python writes them.
 *
 * @param place `file:line`, for messages
 * @throws PipelineError where it is no JSON
 */
export function parseExactJson(text: string, place: () => string): unknown {
  const value = parse(text, place)
  if (!manyDigits.test(text)) return value
  const quoted = text.replace(stringOrNumber, token => (isInexact(token) ? `"${token}"` : token))
  return quoted === text ? value : parse(quoted, place)
}

function parse(text: string, place: () => string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const value = mayHoldName.test(text) ? parseNames(text) : undefined
    if (value !== undefined) return value
    throw new PipelineError('dataset', `${place()}  not JSON: ${messageOf(error)}`, { cause: error })
  }
}

/** JSON has no such character but as an escape in a text, which no file has for it. */
const mark = '\u0001NaN'

/** `undefined` where it is no JSON all the same. */
function parseNames(text: string): unknown {
  const numbers: Readonly<Record<string, string>> = {
    Infinity: '1e999',
    '-Infinity': '-1e999',
    NaN: JSON.stringify(mark),
  }
  try {
    return JSON.parse(
      text.replace(stringOrName, token => numbers[token] ?? token),
      (_, value: unknown) => (value === mark ? Number.NaN : value),
    )
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Whether a number would be rounded that is a text of its digits instead. */
export const isInexact = (token: string): boolean => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))
