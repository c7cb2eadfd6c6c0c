import { PipelineError, messageOf } from '../../../base/errors.js'

const manyDigits = /\d{16}/
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * Parses JSON without changing a number: a whole one beyond ±(2^53 − 1), which would be rounded, is a text of its digits.
 *
 * @param place `file:line`, for messages
 * @throws PipelineError where it is no JSON
 */
export function parseExactJson(text: string, place: () => string): unknown {
  const value = parse(text, place)
  if (!manyDigits.test(text)) return value
  const quoted = text.replace(stringOrNumber, token => (isInexact(token) ? `"${token}"` : token))
  return quoted === text ? value : JSON.parse(quoted)
}

function parse(text: string, place: () => string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new PipelineError('dataset', `${place()}  not JSON: ${messageOf(error)}`, { cause: error })
  }
}

const isInexact = (token: string): boolean => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))
