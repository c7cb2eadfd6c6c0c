import { messageOf, PipelineError } from '../../../../base/errors/errors.js'

/** The start of a long integer. The digits behind a decimal point, as in times and likelihoods, are no reason to look closer. */
const manyDigits = /(?<![\d.])\d{16}/
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const name = /-?Infinity|NaN/g
const mayHoldName = /Infinity|NaN/

/**
 * Parses JSON without changing a number: an integer beyond ±(2^53 − 1), which would be rounded, becomes a text of its
 * digits. `NaN` and `Infinity` are accepted, as Python writes them.
 *
 * @param locate `file:line`, for messages
 * @throws PipelineError if the text is not JSON
 */
export function parseExactJson(text: string, locate: () => string): unknown {
  const value = parse(text, locate)
  if (!manyDigits.test(text)) return value
  const quoted = changeOutsideStrings(text, between =>
    between.replace(number, token => (isInexact(token) ? `"${token}"` : token)),
  )
  return quoted === text ? value : parse(quoted, locate)
}

function parse(text: string, locate: () => string): unknown {
  try {
    return notTooDeep(JSON.parse(text), locate)
  } catch (error) {
    if (error instanceof PipelineError) throw error
    const value = mayHoldName.test(text) ? parseNames(text) : undefined
    if (value !== undefined) return value
    throw new PipelineError('dataset', `${locate()}  not JSON: ${messageOf(error)}`, { cause: error })
  }
}

/** The maximum nesting. Deeper values would overflow the stack of later code, and other readers reject them as well. */
const deepest = 500

function notTooDeep(value: unknown, locate: () => string): unknown {
  if (isDeeper(value, deepest))
    throw new PipelineError(
      'dataset',
      `${locate()}  lists and objects are nested more than ${deepest} deep. Write them flatter`,
    )
  return value
}

function isDeeper(value: unknown, than: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (than === 0) return true
  for (const inner of Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value))
    if (typeof inner === 'object' && inner !== null && isDeeper(inner, than - 1)) return true
  return false
}

/** JSON texts contain this character only as an escape, so it can mark replaced names. */
const mark = '\u0001NaN'

/** Returns `undefined` if the text is still not JSON. */
function parseNames(text: string): unknown {
  const numbers: Readonly<Record<string, string>> = {
    Infinity: '1e999',
    '-Infinity': '-1e999',
    NaN: JSON.stringify(mark),
  }
  try {
    return JSON.parse(
      changeOutsideStrings(text, between => between.replace(name, token => numbers[token] ?? token)),
      (_, value: unknown) => (value === mark ? Number.NaN : value),
    )
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Returns whether a number would be rounded, so that it becomes a text of its digits. */
export const isInexact = (token: string): boolean => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))

/**
 * Changes the text of JSON outside its strings. A regular expression that skips strings fails for those of some
 * megabytes, such as a picture in base64.
 */
export function changeOutsideStrings(
  text: string,
  change: (between: string) => string,
  changeString: (string: string) => string = string => string,
): string {
  const parts: string[] = []
  for (let at = 0; ;) {
    const open = text.indexOf('"', at)
    if (open < 0) {
      parts.push(change(text.slice(at)))
      return parts.join('')
    }
    const end = endOfString(text, open)
    parts.push(change(text.slice(at, open)), changeString(text.slice(open, end)))
    at = end
  }
}

/** Returns the offset after the closing quote, or the end of the text. */
function endOfString(text: string, open: number): number {
  for (let from = open + 1; ;) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return text.length
    let before = quote - 1
    while (text[before] === '\\') before--
    if ((quote - 1 - before) % 2 === 0) return quote + 1
    from = quote + 1
  }
}
