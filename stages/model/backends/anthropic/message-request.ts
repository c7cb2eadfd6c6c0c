import type { Json } from '../../../../base/canonical-json.js'
import type { ChatMessage, ContentPart, GenerationKwargs, JsonObject } from '../../../../cache/records.js'
import type { ModelRequest } from '../../define-backend.js'
import { impossible } from '../http/protocol/failure.js'
import { otherKwargs, refuseBeams } from '../http/protocol/generation.js'
import { addressOf } from '../http/protocol/media-address.js'
import type { BodyPiece, TypeOf } from '../http/wire/media-body.js'
import { stopsOf } from '../http/protocol/stop-sequences.js'
import { splitSystem } from '../http/protocol/system-prompt.js'
import { turnsOf } from '../http/protocol/tool-calls.js'
import { sendsTemperature } from './api-version.js'
import { callingBlocks, resultBlock, toolFields } from './message-tools.js'

export interface MessageRules {
  readonly model: string
  readonly anthropic_version?: string | undefined
  /** Where the task sets no limit. */
  readonly max_tokens: number
  /** `adaptive`, or the most tokens of thinking. */
  readonly thinking?: 'adaptive' | number | undefined
  readonly media_as: 'bytes' | 'url'
  readonly omit: readonly string[]
  readonly extra_body: JsonObject
}

/** What blocks the media are that the API takes. */
const blockTypes: Readonly<Record<string, 'image' | 'document'>> = {
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/gif': 'image',
  'image/webp': 'image',
  'application/pdf': 'document',
}

/** The JSON text of one request, in pieces around the media. */
export function messageRequest(
  { input, generation }: ModelRequest,
  rules: MessageRules,
  typeOf: TypeOf,
): readonly BodyPiece[] {
  const { system, turns } = splitSystem(input.messages, 'anthropic')
  const known = { ...parameters(generation, rules), ...toolFields(input.tools) }
  if (system !== '') known['system'] = system
  const pieces: BodyPiece[] = [JSON.stringify(known).slice(0, -1), ',"messages":[']
  const write: PartWriter = part => partPieces(part, rules, typeOf)
  for (const [index, turn] of turnsOf(turns).entries()) pieces.push(index === 0 ? '' : ',', ...turnPieces(turn, write))
  pieces.push(']}')
  return pieces
}

function parameters(generation: GenerationKwargs, rules: MessageRules): Record<string, Json | undefined> {
  const { max_new_tokens, temperature, top_p, seed, ...others } = generation
  refuseBeams(generation)
  const { thinking, omit } = rules
  if (seed !== undefined && !omit.includes('seed'))
    throw impossible('seed: Anthropic’s API has none (omit=seed in --model-args leaves it out)')
  // A sequence of white space alone is refused there; it is cut off here.
  const stops = stopsOf(generation).filter(stop => stop.trim() !== '')
  const body: Record<string, Json | undefined> = {
    model: rules.model,
    // Thinking counts as output there, and a task's limit means the answer.
    max_tokens: (max_new_tokens ?? rules.max_tokens) + (typeof thinking === 'number' ? thinking : 0),
    temperature: omit.includes('temperature') ? undefined : temperatureOf(temperature, rules),
    ...(top_p === undefined || top_p === 1 ? {} : { top_p }),
    ...(stops.length === 0 ? {} : { stop_sequences: stops }),
    ...otherKwargs(others),
    ...(thinking === undefined ? {} : { thinking: thinkingOf(thinking) }),
  }
  Object.assign(body, rules.extra_body)
  for (const name of omit) body[name] = undefined
  return body
}

/**
 * Absent means 0 in keys, so 0 is sent where the model takes one. Newer models, and all models while they think, take no
 * temperature but their own: for these 0 and absent both mean the model's own.
 */
function temperatureOf(temperature: number | undefined, rules: MessageRules): number | undefined {
  if (rules.thinking === undefined) return sendsTemperature(rules) ? (temperature ?? 0) : temperature || undefined
  if (temperature === undefined || temperature === 0 || temperature === 1) return undefined
  throw impossible(
    `temperature ${temperature}: with thinking the API takes none (omit=temperature in --model-args leaves it out)`,
  )
}

const thinkingOf = (thinking: 'adaptive' | number): JsonObject =>
  thinking === 'adaptive' ? { type: 'adaptive' } : { type: 'enabled', budget_tokens: thinking }

type PartWriter = (part: ContentPart) => readonly BodyPiece[]

/** All results of one turn of calls are one turn of the user's. */
function turnPieces(turn: readonly [ChatMessage, ...ChatMessage[]], write: PartWriter): readonly BodyPiece[] {
  const [message] = turn
  if (message.role !== 'tool') return messagePieces(message, write)
  const results = turn.map(result => resultBlock(result, listPieces(result.content, write)))
  return ['{"role":"user","content":[', ...results.flatMap((one, index) => [index === 0 ? '' : ',', ...one]), ']}']
}

function messagePieces(message: ChatMessage, write: PartWriter): readonly BodyPiece[] {
  const { role, content } = message
  const opening = `{"role":"${role}","content":`
  if (message.toolCalls !== undefined) return [`${opening}${callingBlocks(message)}}`]
  const [only] = content
  if (content.length === 1 && only?.type === 'text') return [`${opening}${JSON.stringify(only.text)}}`]
  return [`${opening}[`, ...listPieces(content, write), ']}']
}

const listPieces = (content: readonly ContentPart[], write: PartWriter): readonly BodyPiece[] =>
  content.flatMap((part, index) => [index === 0 ? '' : ',', ...write(part)])

function partPieces(part: ContentPart, { media_as: mediaAs }: MessageRules, typeOf: TypeOf): readonly BodyPiece[] {
  if (part.type === 'text') return [JSON.stringify({ type: 'text', text: part.text })]
  const type = typeOf(part)
  const block = blockTypes[type.mime]
  if (block === undefined) throw impossible(`anthropic takes JPEG, PNG, GIF, WebP and PDF, not ${type.mime}`)
  const address = addressOf(part, mediaAs)
  if (address !== undefined) return [`{"type":"${block}","source":{"type":"url","url":"${address}"}}`]
  return [`{"type":"${block}","source":{"type":"base64","media_type":"${type.mime}","data":"`, { part, type }, '"}}']
}
