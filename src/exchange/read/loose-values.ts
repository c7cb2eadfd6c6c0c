import { PipelineError } from '../../../base/errors/errors.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import { parseExactJson } from '../../../stages/input/datasets/json/exact-json.js'
import type { ForeignMessage, ForeignPart } from '../foreign-log.js'

/*
 * Logs of other tools vary between versions. These functions return a value that has the expected type, and undefined
 * otherwise, so that a reader states only what the log states.
 */

/** Returns whether a value is a JSON object. */
export const isFields = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const fieldsIn = (value: unknown): JsonObject | undefined => (isFields(value) ? value : undefined)

export const listIn = (value: unknown): readonly Json[] | undefined =>
  Array.isArray(value) ? (value as readonly Json[]) : undefined

/** Returns the value if it is a text, else undefined. */
export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns a text that is not empty. */
export const nameIn = (value: unknown): string | undefined => (value === '' ? undefined : textIn(value))

export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** Returns the numbers and booleans among an object's fields; booleans become 1 and 0. */
export function scoresIn(value: unknown): Readonly<Record<string, number>> {
  const scores: Record<string, number> = {}
  for (const [name, score] of Object.entries(fieldsIn(value) ?? {})) {
    const number = typeof score === 'boolean' ? Number(score) : numberIn(score)
    if (number !== undefined) scores[name] = number
  }
  return scores
}

/** @throws PipelineError with the place, if the text is not a JSON object. */
export function parseFields(text: string, locate: () => string): JsonObject {
  const value = parseValue(text, locate)
  if (isFields(value)) return value
  throw new PipelineError('dataset', `${locate()}  expected a JSON object, not ${text.slice(0, 40)}`)
}

/**
 * Parses an object of which only texts and small numbers are used. It is several times faster than {@link parseFields},
 * which looks for integers that JavaScript would round.
 */
export function parseFieldsFast(text: string, locate: () => string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  // The other parser accepts Python's output, and reports the position of an error.
  return parseFields(text, locate)
}

/** Python writes `NaN` and `Infinity`, which JSON cannot hold. They become texts. */
export function parseValue(text: string, locate: () => string): Json {
  const value = parseExactJson(text, locate) as Json
  return text.includes('NaN') || text.includes('Infinity') ? withoutSpecialNumbers(value) : value
}

function withoutSpecialNumbers(value: Json): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutSpecialNumbers)
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSpecialNumbers(inner ?? null)]))
}

/** Returns the medium that a URL, a data URL or a path refers to. */
export function mediumAt(url: string, mime?: string): ForeignPart {
  const data = /^data:([^;,]*)[^,]*;base64,/.exec(url.slice(0, 200))
  if (data === null)
    return { type: 'medium', path: url.replace(/^file:\/\//, ''), ...(mime === undefined ? {} : { mime }) }
  const stated = data[1] === '' ? mime : data[1]
  return {
    type: 'medium',
    bytes: Buffer.from(url.slice(data[0].length), 'base64'),
    ...(stated === undefined ? {} : { mime: stated }),
  }
}

/** Reads a message in the format of OpenAI's API. Undefined if the value is no message. */
export function chatMessage(value: unknown): ForeignMessage | undefined {
  const message = fieldsIn(value)
  const role = textIn(message?.['role'])
  if (message === undefined || role === undefined) return undefined
  const content = message['content']
  if (typeof content === 'string') return { role, content }
  return { role, content: (listIn(content) ?? []).map(chatPart) }
}

/** Reads a message part in the formats of OpenAI, Anthropic, EvalScope and Inspect. */
function chatPart(value: Json): ForeignPart {
  const part = fieldsIn(value)
  const text = textIn(value) ?? textIn(part?.['text'])
  if (text !== undefined) return { type: 'text', text }
  for (const kind of ['image_url', 'image', 'video_url', 'video', 'audio_url', 'audio', 'input_audio']) {
    const at = part?.[kind]
    const url = textIn(at) ?? textIn(fieldsIn(at)?.['url'])
    if (url !== undefined) return mediumAt(url)
    const data = textIn(fieldsIn(at)?.['data'])
    if (data !== undefined) return mediumAt(`data:audio/${textIn(fieldsIn(at)?.['format']) ?? 'wav'};base64,${data}`)
  }
  const source = fieldsIn(part?.['source'])
  const bytes = textIn(source?.['data'])
  if (bytes !== undefined) return mediumAt(`data:${textIn(source?.['media_type']) ?? ''};base64,${bytes}`)
  // A part of another kind, such as a tool call, is kept unchanged.
  return { type: 'text', text: JSON.stringify(value) }
}
