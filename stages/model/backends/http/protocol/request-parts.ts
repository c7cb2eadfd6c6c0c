import { z } from 'zod'
import type { Json } from '../../../../../base/values/canonical-json.js'
import type {
  ChatMessage,
  GenerationKwargs,
  JsonObject,
  ToolCall,
  ToolDeclaration,
} from '../../../../../cache/records.js'
import { affectsOutput } from '../../../backend-args.js'
import { impossible } from './failure.js'
import type { SignedPart } from './presigned-media.js'

/**
 * Generation kwargs that only local models use, and which are not sent. Task files contain them. The last two are
 * checked separately.
 */
const notSent: ReadonlySet<string> = new Set(['do_sample', 'image_aspect_ratio', 'use_cache', 'num_beams', 'until'])

/** Selects generation kwargs without a meaning here. They are sent, for the server to accept or reject. */
export function otherKwargs(others: Readonly<Record<string, Json | undefined>>): Record<string, Json | undefined> {
  return Object.fromEntries(Object.entries(others).filter(([name]) => !notSent.has(name)))
}

/** @throws AttemptError of class `invalid_request` for beam search, which no API offers */
export function refuseBeams({ num_beams: beams }: GenerationKwargs): void {
  if (beams !== undefined && beams > 1) throw impossible('num_beams: a chat server has no beam search')
}

/** Lists the stop sequences. An empty one is dropped, because it stops nothing. */
export const listStops = ({ until }: GenerationKwargs): readonly string[] => (until ?? []).filter(text => text !== '')

/** Cuts the answer at the first stop sequence. Servers accept only some sequences, and some include them in the answer. */
export function cutAtStop(text: string, generation: GenerationKwargs): string {
  const ends = listStops(generation).flatMap(stop => (text.includes(stop) ? [text.indexOf(stop)] : []))
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
}

/** A conversation, split into system text and turns. */
interface SplitMessages {
  /** The system text. Empty if there is none. */
  readonly system: string
  /** The other messages, without empty texts, which APIs reject as parts. */
  readonly turns: readonly ChatMessage[]
}

/**
 * Splits off the system prompt, for APIs that have a separate field for it.
 *
 * @throws AttemptError of class `invalid_request` if it comes after a turn, or contains media
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

/**
 * A token count. A number that cannot be one becomes NaN, also in sums, and is dropped with a note
 * (`stages/model/answer-checks.ts`). The answer counts, because it was paid for.
 */
export const tokenCount = z
  .number()
  .nullish()
  .catch(undefined)
  .transform(count => (count != null && (count < 0 || count > 1e9) ? NaN : count))

/** Returns the schema of a tool's arguments. Without one, it is an object without properties. */
export const readParameters = ({ parameters }: ToolDeclaration): JsonObject =>
  parameters ?? { type: 'object', properties: {} }

/** Parses the arguments of a call. Invalid ones become an empty object; the result of the call reports the mistake. */
export function parseArguments({ arguments: text }: Pick<ToolCall, 'arguments'>): JsonObject {
  try {
    const value = JSON.parse(text) as Json
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

/** Joins the texts of a message. */
export const textIn = ({ content }: ChatMessage): string =>
  content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')

/** Groups messages into turns. Consecutive tool results are one turn, because most providers expect that. */
export function groupTurns(messages: readonly ChatMessage[]): readonly (readonly [ChatMessage, ...ChatMessage[]])[] {
  const turns: [ChatMessage, ...ChatMessage[]][] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role === 'tool' && last?.[0].role === 'tool') last.push(message)
    else turns.push([message])
  }
  return turns
}

/** Declares how media are sent to a provider that can download them. */
export const mediaAsArg = affectsOutput(
  z
    .enum(['bytes', 'url'])
    .default('bytes')
    .describe('how media are sent; url: by the address that the data have, if any'),
)

/** Returns a medium's URL, escaped for JSON, if the provider downloads it. @returns undefined if its bytes are sent */
export function findMediaUrl({ url, signedUrl }: SignedPart, mediaAs: 'bytes' | 'url'): string | undefined {
  const sent = mediaAs === 'url' ? (url ?? signedUrl) : signedUrl
  return sent === undefined ? undefined : JSON.stringify(sent).slice(1, -1)
}

/**
 * The name of documents for providers that need one. The file's own name is not sent, because it could influence the
 * answer and is in no key.
 */
export const documentName = 'document.pdf'
