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
import { readAnswerFormat, type AnswerFormat } from '../http/protocol/answer-format.js'
import { impossible, makeMalformedError } from '../http/protocol/failure.js'
import {
  findMediaUrl,
  parseArguments,
  otherKwargs,
  readParameters,
  refuseBeams,
  splitSystem,
  listStops,
  groupTurns,
} from '../http/protocol/request-parts.js'
import { type BodyPiece, makeFormatError, type TypeOf } from '../http/wire/media-body.js'

export interface MessageRules {
  readonly model: string
  readonly anthropic_version?: string | undefined
  /** The token limit if the task sets none. */
  readonly max_tokens: number
  /** `adaptive`, or the maximum number of thinking tokens. */
  readonly thinking?: 'adaptive' | number | undefined
  readonly media_as: 'bytes' | 'url'
  readonly omit: readonly string[]
  readonly extra_body: JsonObject
}

/** The block types of the media types that the API accepts. */
const blockTypes: Readonly<Record<string, 'image' | 'document'>> = {
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/gif': 'image',
  'image/webp': 'image',
  'application/pdf': 'document',
}

/** Writes the JSON text of one request, in pieces around the media. */
export function messageRequest(
  { input, generation }: ModelRequest,
  rules: MessageRules,
  typeOf: TypeOf,
): readonly BodyPiece[] {
  const { system, turns } = splitSystem(input.messages, 'anthropic')
  const fields = { ...parameters(generation, rules), ...toolFields(input.tools) }
  if (system !== '') fields['system'] = system
  const pieces: BodyPiece[] = [JSON.stringify(fields).slice(0, -1), ',"messages":[']
  const write: PartWriter = part => partPieces(part, rules, typeOf)
  for (const [index, turn] of groupTurns(turns).entries())
    pieces.push(index === 0 ? '' : ',', ...turnPieces(turn, write))
  pieces.push(']}')
  return pieces
}

function parameters(generation: GenerationKwargs, rules: MessageRules): Record<string, Json | undefined> {
  const { max_new_tokens, temperature, top_p, seed, response_format: format, ...others } = generation
  refuseBeams(generation)
  const { thinking, omit } = rules
  if (seed !== undefined && !omit.includes('seed'))
    throw impossible('seed: Anthropic’s API has none (omit=seed in the model arguments leaves it out)')
  // The API rejects stop sequences of white space only. These are applied to the answer here.
  const stops = listStops(generation).filter(stop => stop.trim() !== '')
  const body: Record<string, Json | undefined> = {
    model: rules.model,
    // Thinking counts as output in the API, but a task's limit covers only the answer.
    max_tokens: (max_new_tokens ?? rules.max_tokens) + (typeof thinking === 'number' ? thinking : 0),
    temperature: omit.includes('temperature') ? undefined : chooseTemperature(temperature, rules),
    ...(top_p === undefined || top_p === 1 ? {} : { top_p }),
    ...(stops.length === 0 ? {} : { stop_sequences: stops }),
    ...otherKwargs(others),
    ...formatField(readAnswerFormat(format)),
    ...(thinking === undefined ? {} : { thinking: writeThinking(thinking) }),
  }
  Object.assign(body, rules.extra_body)
  for (const name of omit) body[name] = undefined
  return body
}

function formatField(format: AnswerFormat | undefined): JsonObject {
  if (format === undefined) return {}
  if (format.type === 'json_object')
    throw impossible('response_format: anthropic takes a json_schema, not a json_object without one')
  return { output_config: { format: { type: 'json_schema', schema: format.schema } } }
}

/**
 * Selects the temperature to send. A missing temperature means 0 in keys, so 0 is sent if the model accepts it. Newer
 * models, and all models with thinking, accept only their own temperature. For these, 0 and missing both mean the
 * model's own.
 */
function chooseTemperature(temperature: number | undefined, rules: MessageRules): number | undefined {
  if (rules.thinking === undefined) return sendsTemperature(rules) ? (temperature ?? 0) : temperature || undefined
  if (temperature === undefined || temperature === 0 || temperature === 1) return undefined
  throw impossible(
    `temperature ${temperature}: with thinking the API takes none (omit=temperature in the model arguments leaves it out)`,
  )
}

const writeThinking = (thinking: 'adaptive' | number): JsonObject =>
  thinking === 'adaptive' ? { type: 'adaptive' } : { type: 'enabled', budget_tokens: thinking }

type PartWriter = (part: ContentPart) => readonly BodyPiece[]

/** Writes all tool results after one assistant turn as one user turn. */
function turnPieces(turn: readonly [ChatMessage, ...ChatMessage[]], write: PartWriter): readonly BodyPiece[] {
  const [message] = turn
  if (message.role !== 'tool') return messagePieces(message, write)
  const results = turn.map(result => resultBlock(result, listPieces(result.content, write)))
  return ['{"role":"user","content":[', ...results.flatMap((block, index) => [index === 0 ? '' : ',', ...block]), ']}']
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
  if (block === undefined) throw makeFormatError(part.media, 'anthropic', type)
  const address = findMediaUrl(part, mediaAs)
  if (address !== undefined) return [`{"type":"${block}","source":{"type":"url","url":"${address}"}}`]
  return [`{"type":"${block}","source":{"type":"base64","media_type":"${type.mime}","data":"`, { part, type }, '"}}']
}

/** Writes the fields of a request with tools. */
const toolFields = (tools: readonly ToolDeclaration[] | undefined): JsonObject =>
  tools === undefined
    ? {}
    : {
        tools: tools.map(tool => ({
          name: tool.name,
          ...(tool.description === undefined ? {} : { description: tool.description }),
          input_schema: readParameters(tool),
        })),
      }

/** Writes the content of a turn with tool calls. The original blocks are used if known, because thoughts are signed. */
function callingBlocks({ content, toolCalls = [], turn }: ChatMessage): string {
  if (Array.isArray(turn)) return JSON.stringify(turn)
  const texts = content.flatMap(part => (part.type === 'text' ? [{ type: 'text', text: part.text }] : []))
  const calls = toolCalls.map(call => ({ type: 'tool_use', id: call.id, name: call.name, input: parseArguments(call) }))
  return JSON.stringify([...texts, ...calls])
}

/** Writes the result of one call. @param content the pieces of its parts, separated by commas */
function resultBlock({ toolCallId, isToolError }: ChatMessage, content: readonly BodyPiece[]): readonly BodyPiece[] {
  const about = { type: 'tool_result', tool_use_id: toolCallId, ...(isToolError === true ? { is_error: true } : {}) }
  return [`${JSON.stringify(about).slice(0, -1)},"content":[`, ...content, ']}']
}

const toolUse = z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.json().optional() })

/** Reads the requested tool calls, and the turn to be sent back with their results. @throws AttemptError if a call has no name */
export function readToolCalls(content: readonly { readonly type: string }[]): Pick<ResponseBody, 'toolCalls' | 'turn'> {
  const uses = content.filter(({ type }) => type === 'tool_use')
  if (uses.length === 0) return {}
  const { data } = z.array(toolUse).safeParse(uses)
  if (data === undefined) throw makeMalformedError('called a tool in a form that is not known')
  const toolCalls = data.map(({ id, name, input }): ToolCall => ({ id, name, arguments: JSON.stringify(input ?? {}) }))
  return { toolCalls, turn: readTurn(content) }
}

/** Reads the turn to be sent back unchanged, because its thoughts are signed. @throws AttemptError if it is not JSON */
export function readTurn(content: readonly { readonly type: string }[]): readonly JsonObject[] {
  const { data } = z.array(z.record(z.string(), z.json())).safeParse(content)
  if (data === undefined) throw makeMalformedError('answered with content in a form that is not known')
  return data.filter(isWritten)
}

/** Empty texts are left out, because the API rejects them in a turn that is sent back. */
const isWritten = (block: Readonly<Record<string, unknown>>): boolean =>
  block['type'] !== 'text' || block['text'] !== ''

/** The last API version that accepts `temperature`, `top_p` and `top_k`. */
const withSampling = '2023-06-01'

/**
 * The version that rejects the sampling parameters for every model.
 *
 * @see https://platform.claude.com/docs/en/api/migration-2026-10-21
 */
const withoutSampling = '2026-10-21'

/** Matches Claude up to 4.6. Later models reject a temperature other than 1. */
const samplingClaude = /claude-(instant|2|3|(opus|sonnet|haiku)-4(-[0-6])?(?![-.]?\d?\d(?!\d)))/

/**
 * Tells whether a model accepts sampling parameters. Other models behind Claude's protocol do. An unknown Claude model
 * is treated as a new one, which does not.
 */
const takesSampling = (model: string): boolean => !/claude/i.test(model) || samplingClaude.test(model.toLowerCase())

interface VersionArgs {
  readonly model: string
  readonly anthropic_version?: string | undefined
}

/** Selects the API version: the newest one, or the last with sampling for models that need the default temperature. */
export const versionFor = ({ model, anthropic_version: version }: VersionArgs): string =>
  version ?? (takesSampling(model) ? withSampling : withoutSampling)

/** Tells whether the default temperature of 0 can be sent. Otherwise the model samples by its own default. */
export const sendsTemperature = (args: VersionArgs): boolean =>
  versionFor(args) < withoutSampling && takesSampling(args.model)
