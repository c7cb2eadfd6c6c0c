/** Parses `a=1,b=x` on a command line: the arguments of a model, or generation kwargs. */
import { PipelineError } from '../../base/errors/errors.js'
import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'

/**
 * Parses arguments. Each text holds either `name=value` pairs or one JSON object.
 *
 * Commas separate pairs, except inside quotes, `[]` or `{}`; a quote after a backslash is a character. Quotes around a whole value are removed. Values of
 * pairs stay texts, because only the backend's schema knows their types.
 *
 * @param flag the flag, for messages
 * @throws PipelineError if a pair has no `=`, a name is empty or repeated, or quotes or brackets stay open
 */
export function parseArguments(texts: readonly string[], flag: string): JsonObject {
  const argsByName = new Map<string, Json>()
  for (const [name, value] of texts.flatMap(text => entries(text.trim(), flag))) {
    if (argsByName.has(name)) throw new PipelineError('usage', `${flag}: "${name}" is given twice`)
    argsByName.set(name, value)
  }
  return Object.fromEntries(argsByName)
}

/** Converts texts to the types that they spell: `true`, `0.7`, `["\n","."]`. Others stay texts. */
export function typedArguments(texts: JsonObject, flag: string): JsonObject {
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [
      name,
      typeof value === 'string' ? parseArgumentValue(value, name, flag) : value,
    ]),
  )
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
const stops: ReadonlySet<string> = new Set(['until', 'stop', 'stop_sequences'])

/**
 * Reads `\\n`, `\\r` and `\\t` in stop sequences as the characters that they mean, since a shell passes them as two
 * characters. Sequences in a JSON list are read already.
 */
export const withLineBreaks = (args: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      stops.has(name) && typeof value === 'string'
        ? value.replace(/\\([nrt])/g, (_, letter: string) => escapes[letter] ?? letter)
        : value,
    ]),
  )

function entries(text: string, flag: string): (readonly [string, Json])[] {
  if (text === '') return []
  if (text.startsWith('{')) return Object.entries(jsonObject(text, flag))
  return splitAtTopLevel(text, flag).map(pair => {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, equals)).trim()
    if (name === '') {
      throw new PipelineError('usage', `${flag}: expected name=value, given "${equals < 0 ? pair.trim() : '=…'}"`)
    }
    return [name, removeQuotes(pair.slice(equals + 1).trim())]
  })
}

function jsonObject(text: string, flag: string): Record<string, Json> {
  try {
    // A text that begins with a brace and parses is an object.
    return JSON.parse(text) as Record<string, Json>
  } catch (error) {
    throw new PipelineError('usage', `${flag}: begins like a JSON object, but is none`, { cause: error })
  }
}

/** Splits at commas outside of quotes and brackets. */
function splitAtTopLevel(text: string, flag: string): string[] {
  const parts: string[] = []
  let part = ''
  let quote = ''
  let depth = 0
  let before = ''
  for (const character of text) {
    if (quote === '' && depth === 0 && character === ',') {
      parts.push(part)
      part = ''
    } else part += character
    if (quote !== '') quote = character === quote && before !== '\\' ? '' : quote
    else if (opensQuote(character, before, depth)) quote = character
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    before = character
  }
  if (quote !== '') throw new PipelineError('usage', `${flag}: a ${quote} is not closed`)
  if (depth !== 0) throw new PipelineError('usage', `${flag}: brackets are not balanced`)
  return [...parts, part]
}

// An apostrophe within a word (`model=it's`) is a letter, not a quote; in JSON only double quotes are quotes.
const opensQuote = (character: string, before: string, depth: number): boolean =>
  before !== '\\' && (character === '"' || (character === "'" && depth === 0 && (before === '=' || before === '')))

function removeQuotes(value: string): string {
  const quote = value[0]
  const isQuoted = value.length >= 2 && (quote === '"' || quote === "'") && value.endsWith(quote)
  return isQuoted && !value.slice(1, -1).includes(quote) ? value.slice(1, -1) : value
}

const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

function parseArgumentValue(value: string, name: string, flag: string): Json {
  if (/^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  if (number.test(value) && Number.isFinite(Number(value))) return Number(value)
  if (!/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value) as Json
  } catch (error) {
    throw new PipelineError('usage', `${flag}: ${name} begins like JSON, but is none: ${value}`, { cause: error })
  }
}
