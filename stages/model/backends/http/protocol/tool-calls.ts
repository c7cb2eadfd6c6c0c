import type { Json } from '../../../../../base/canonical-json.js'
import type { ChatMessage, JsonObject, ToolCall, ToolDeclaration } from '../../../../../cache/records.js'

/** The schema of a tool's arguments; of an object without any where it has none. */
export const parametersOf = ({ parameters }: ToolDeclaration): JsonObject =>
  parameters ?? { type: 'object', properties: {} }

/** The arguments of a call as an object: an empty one where the model wrote something else, of which the result of the call tells. */
export function argumentsOf({ arguments: text }: Pick<ToolCall, 'arguments'>): JsonObject {
  try {
    const value = JSON.parse(text) as Json
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

/** The texts of a message, one after another. */
export const textIn = ({ content }: ChatMessage): string =>
  content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')

/** A turn, or the results of tools that follow each other: for most providers these are one turn. */
export function turnsOf(messages: readonly ChatMessage[]): readonly (readonly [ChatMessage, ...ChatMessage[]])[] {
  const turns: [ChatMessage, ...ChatMessage[]][] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role === 'tool' && last?.[0].role === 'tool') last.push(message)
    else turns.push([message])
  }
  return turns
}
