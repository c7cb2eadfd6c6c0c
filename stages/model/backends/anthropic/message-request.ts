import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import type {
  ChatMessage,
  ContentPart,
  GenerationKwargs,
  JsonObject,
  ResponseBody,
  ToolCall,
  ToolDeclaration,
} from '../../../../cache/records.js'
import type { ModelRequest } from '../../model.js'
import { impossible, malformed } from '../http/protocol/failure.js'
import {
  addressOf,
  argumentsOf,
  otherKwargs,
  parametersOf,
  refuseBeams,
  splitSystem,
  stopsOf,
  turnsOf,
} from '../http/protocol/request-parts.js'
import type { BodyPiece, TypeOf } from '../http/wire/media-body.js'

export interface MessageRules {
  readonly model: string
  readonly anthropic_version?: string | undefined
  /** The limit if the task sets none. */
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

/** Fields of a request with tools. */
const toolFields = (tools: readonly ToolDeclaration[] | undefined): JsonObject =>
  tools === undefined
    ? {}
    : {
        tools: tools.map(tool => ({
          name: tool.name,
          ...(tool.description === undefined ? {} : { description: tool.description }),
          input_schema: parametersOf(tool),
        })),
      }

/** The content of a turn in which the model called tools; as it wrote it, where that is known: thoughts are signed. */
function callingBlocks({ content, toolCalls = [], turn }: ChatMessage): string {
  if (Array.isArray(turn)) return JSON.stringify(turn)
  const texts = content.flatMap(part => (part.type === 'text' ? [{ type: 'text', text: part.text }] : []))
  const calls = toolCalls.map(call => ({ type: 'tool_use', id: call.id, name: call.name, input: argumentsOf(call) }))
  return JSON.stringify([...texts, ...calls])
}

/** The result of one call. @param content the pieces of its parts, with commas between */
function resultBlock({ toolCallId, isToolError }: ChatMessage, content: readonly BodyPiece[]): readonly BodyPiece[] {
  const about = { type: 'tool_result', tool_use_id: toolCallId, ...(isToolError === true ? { is_error: true } : {}) }
  return [`${JSON.stringify(about).slice(0, -1)},"content":[`, ...content, ']}']
}

const toolUse = z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.json().optional() })

/** What the model wants done, with its turn as it is to be given back. @throws AttemptError where a call has no name. */
export function callsOf(content: readonly { readonly type: string }[]): Pick<ResponseBody, 'toolCalls' | 'turn'> {
  const uses = content.filter(({ type }) => type === 'tool_use')
  if (uses.length === 0) return {}
  const { data } = z.array(toolUse).safeParse(uses)
  if (data === undefined) throw malformed('called a tool in a form that is not known')
  const toolCalls = data.map(({ id, name, input }): ToolCall => ({ id, name, arguments: JSON.stringify(input ?? {}) }))
  return { toolCalls, turn: turnOf(content) }
}

/** The model's turn as it is to be given back: its thoughts are signed. @throws AttemptError where it is no JSON */
export function turnOf(content: readonly { readonly type: string }[]): readonly JsonObject[] {
  const { data } = z.array(z.record(z.string(), z.json())).safeParse(content)
  if (data === undefined) throw malformed('answered with content in a form that is not known')
  return data.filter(isWritten)
}

/** An empty text is refused when it is given back. */
const isWritten = (block: Readonly<Record<string, unknown>>): boolean =>
  block['type'] !== 'text' || block['text'] !== ''

/** The last version of the API whose requests may have `temperature`, `top_p` and `top_k`. */
const withSampling = '2023-06-01'

/**
 * The version that refuses the sampling parameters, whatever the model.
 *
 * @see https://platform.claude.com/docs/en/api/migration-2026-10-21
 */
const withoutSampling = '2026-10-21'

/** Claude up to 4.6: later models refuse a temperature other than 1. */
const samplingClaude = /claude-(instant|2|3|(opus|sonnet|haiku)-4(-[0-6])?(?![-.]?\d?\d(?!\d)))/

/**
 * Whether a model takes sampling parameters. Models of others that speak Claude's protocol do; a Claude of a name that is not
 * known is taken for a new one.
 */
const takesSampling = (model: string): boolean => !/claude/i.test(model) || samplingClaude.test(model.toLowerCase())

interface VersionArgs {
  readonly model: string
  readonly anthropic_version?: string | undefined
}

/** The API version to ask for: the newest, but for models whose default temperature has to be sent. */
export const versionFor = ({ model, anthropic_version: given }: VersionArgs): string =>
  given ?? (takesSampling(model) ? withSampling : withoutSampling)

/** Whether the default temperature of 0 can be sent. Where it can't, the model samples by its own rules. */
const sendsTemperature = (args: VersionArgs): boolean => versionFor(args) < withoutSampling && takesSampling(args.model)
