import { isList, isObject, type Json } from '../../../../base/values/canonical-json.js'
import type { ForeignMessage } from '../../foreign-log.js'
import { chatMessage } from '../loose-values.js'

/**
 * Reads a prompt of a harness's log. A prompt of a chat model is the JSON of its messages, which lm-eval puts into a list of one text; any other
 * prompt is the text that the model continues.
 *
 * @returns undefined if the log has no prompt
 */
export function readLoggedPrompt(value: Json | undefined): readonly ForeignMessage[] | undefined {
  if (typeof value === 'string') return readMessages(parseList(value)) ?? [{ role: 'user', content: value }]
  if (!isList(value)) return undefined
  const [only] = value
  return value.length === 1 && typeof only === 'string' ? readLoggedPrompt(only) : readMessages(value)
}

/** The text by which prompts are compared; undefined if the log has no prompt. */
export const comparePrompt = (value: Json | undefined): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === 'string' ? value : JSON.stringify(value)

/** Reads a list of chat messages. A list of anything else, such as a prompt that shows JSON, is none. */
function readMessages(list: Json | undefined): readonly ForeignMessage[] | undefined {
  if (!isList(list) || list.length === 0) return undefined
  const areMessages = list.every(
    message =>
      isObject(message) &&
      typeof message['role'] === 'string' &&
      (typeof message['content'] === 'string' || isList(message['content'])),
  )
  return areMessages ? list.flatMap(message => chatMessage(message) ?? []) : undefined
}

function parseList(text: string): Json | undefined {
  if (!/^\s*\[\s*\{/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    // A prompt may begin like JSON, and is then a text.
    return undefined
  }
}
