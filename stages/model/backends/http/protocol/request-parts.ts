import { z } from 'zod'
import type { Json } from '../../../../../base/values/canonical-json.js'
import type {
  ChatMessage,
  GenerationKwargs,
  JsonObject,
  MediaPart,
  ToolCall,
  ToolDeclaration,
} from '../../../../../cache/records.js'
import { affectsOutput } from '../../../backend-args.js'
import { impossible } from './failure.js'

/** What only local models understand; task files carry it along for them. The last two are looked at by themselves. */
const notSent: ReadonlySet<string> = new Set(['do_sample', 'image_aspect_ratio', 'use_cache', 'num_beams', 'until'])

/** Generation kwargs that have no meaning of their own here, for the server to take or refuse. */
export function otherKwargs(others: Readonly<Record<string, Json | undefined>>): Record<string, Json | undefined> {
  return Object.fromEntries(Object.entries(others).filter(([name]) => !notSent.has(name)))
}

/** @throws AttemptError of class `invalid_request` for what no API does. */
export function refuseBeams({ num_beams: beams }: GenerationKwargs): void {
  if (beams !== undefined && beams > 1) throw impossible('num_beams: a chat server has no beam search')
}

/** The texts that end an answer; an empty one ends none. */
export const stopsOf = ({ until }: GenerationKwargs): readonly string[] => (until ?? []).filter(text => text !== '')

/** The answer before the first stop sequence: servers take only some of them, and some leave the sequence in. */
export function cutAtStop(text: string, generation: GenerationKwargs): string {
  const ends = stopsOf(generation).flatMap(stop => (text.includes(stop) ? [text.indexOf(stop)] : []))
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
}

/** A conversation without its system messages, whose text stands apart. */
interface SplitMessages {
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

/** Tokens as a provider counts them. What is no count is none: an answer that was paid for is not given up over it. */
export const tokenCount = z.number().nonnegative().nullish().catch(undefined)

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

/** How media come to a provider that can fetch them by itself. */
export const mediaAsArg = affectsOutput(
  z
    .enum(['bytes', 'url'])
    .default('bytes')
    .describe('how media are sent; url: by the address that the data have, if any'),
)

/** The address of a medium for providers that fetch it, as it stands within quotes of JSON; `undefined` if its bytes are sent. */
export const addressOf = ({ url }: MediaPart, mediaAs: 'bytes' | 'url'): string | undefined =>
  mediaAs === 'bytes' || url === undefined ? undefined : JSON.stringify(url).slice(1, -1)

/** What a document is called where a provider wants a name: the data's own may say what is asked for, and is in no key. */
export const documentName = 'document.pdf'
