import type { ChatMessage } from '../../../../../cache/records.js'
import { impossible } from './failure.js'

/** A conversation without its system messages, whose text stands apart. */
export interface SplitMessages {
  /** Empty where there is none. */
  readonly system: string
  /** Without empty texts: they say nothing, and are refused as parts. */
  readonly turns: readonly ChatMessage[]
}

/**
 * The system prompt apart from the turns, for APIs that have a field of its own for it.
 *
 * @throws AttemptError of class `invalid_request` where it stands after a turn, or shows media.
 */
export function splitSystem(messages: readonly ChatMessage[], backend: string): SplitMessages {
  const turns = messages.filter(({ role }) => role !== 'system')
  const leading = messages.slice(0, messages.length - turns.length)
  if (leading.some(({ role }) => role !== 'system'))
    throw impossible(`${backend}: a system message can only stand before all others`)
  const texts = leading.map(({ content }) => content.map(part => (part.type === 'text' ? part.text : undefined)))
  if (texts.flat().includes(undefined)) throw impossible(`${backend}: a system message can only be text`)
  return { system: texts.map(parts => parts.join('')).join('\n\n'), turns: turns.map(withoutEmptyTexts) }
}

const withoutEmptyTexts = (message: ChatMessage): ChatMessage => ({
  ...message,
  content: message.content.filter(part => part.type !== 'text' || part.text !== ''),
})
