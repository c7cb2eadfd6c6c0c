import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses'
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
import { readAnswerFormat } from '../http/protocol/answer-format.js'
import { impossible, makeMalformedError } from '../http/protocol/failure.js'
import {
  findMediaUrl,
  parseArguments,
  documentName,
  otherKwargs,
  readParameters,
  refuseBeams,
} from '../http/protocol/request-parts.js'
import type { BodyPiece, TypeOf } from '../http/wire/media-body.js'

export interface ResponseRules {
  readonly model: string
  readonly detail: 'auto' | 'low' | 'high'
  readonly reasoning_effort?: string | undefined
  readonly reasoning_summary?: 'auto' | 'concise' | 'detailed' | undefined
  readonly media_as: 'bytes' | 'url'
  readonly omit: readonly string[]
  readonly extra_body: JsonObject
}

type Parameters = Omit<ResponseCreateParamsNonStreaming, 'input' | 'reasoning'>

/** Writes the JSON text of one request, in pieces around the media. */
export function responseRequest(
  { input, generation }: ModelRequest,
  rules: ResponseRules,
  typeOf: TypeOf,
): readonly BodyPiece[] {
  const fields = parameters(generation, rules, toolFields(input.tools))
  const pieces: BodyPiece[] = [JSON.stringify(fields).slice(0, -1), ',"input":[']
  for (const [index, message] of input.messages.entries()) {
    pieces.push(index === 0 ? '' : ',', ...messagePieces(message, rules, typeOf))
  }
  pieces.push(']}')
  return pieces
}

/** Selects the parameters. The API has no stop sequences, so these are applied to the answer. */
function parameters(generation: GenerationKwargs, rules: ResponseRules, tools: JsonObject): JsonObject {
  const { max_new_tokens, temperature, top_p, seed, response_format: format, ...others } = generation
  refuseBeams(generation)
  if (seed !== undefined && !rules.omit.includes('seed'))
    throw impossible('seed: the Responses API has none (omit=seed in the model arguments leaves it out)')
  const fields = {
    model: rules.model,
    ...(max_new_tokens === undefined ? {} : { max_output_tokens: max_new_tokens }),
    // A missing temperature means 0 in keys, so 0 is sent: the server's own default differs.
    temperature: temperature ?? 0,
    ...(top_p === undefined || top_p === 1 ? {} : { top_p }),
    // Otherwise the provider stores each answer for a month.
    store: false,
  } satisfies Parameters
  const reasoning = {
    ...(rules.reasoning_effort === undefined ? {} : { effort: rules.reasoning_effort }),
    ...(rules.reasoning_summary === undefined ? {} : { summary: rules.reasoning_summary }),
  }
  const body: Record<string, Json | undefined> = { ...fields, ...otherKwargs(others), ...tools }
  const form = readAnswerFormat(format)
  if (form !== undefined) body['text'] = { format: { ...form } }
  if (Object.keys(reasoning).length > 0) body['reasoning'] = reasoning
  Object.assign(body, rules.extra_body)
  for (const name of rules.omit) body[name] = undefined
  return body
}

function messagePieces(message: ChatMessage, rules: ResponseRules, typeOf: TypeOf): readonly BodyPiece[] {
  const { role, content } = message
  if (role === 'tool') {
    const opening = JSON.stringify({ type: 'function_call_output', call_id: message.toolCallId }).slice(0, -1)
    return [`${opening},"output":`, ...contentPieces(message, rules, typeOf), '}']
  }
  if (message.toolCalls !== undefined) return [callingItems(message)]
  return [`{"role":"${role}","content":`, ...contentPieces({ role, content }, rules, typeOf), '}']
}

function contentPieces(
  { role, content }: Pick<ChatMessage, 'role' | 'content'>,
  rules: ResponseRules,
  typeOf: TypeOf,
): readonly BodyPiece[] {
  const [only] = content
  if (content.length === 1 && only?.type === 'text') return [JSON.stringify(only.text)]
  if (role === 'tool' && content.length === 0) return ['""']
  const textType = role === 'assistant' ? 'output_text' : 'input_text'
  const parts = content.flatMap((part, index) => [
    index === 0 ? '' : ',',
    ...(part.type === 'text'
      ? [JSON.stringify({ type: textType, text: part.text })]
      : mediumPieces(part, rules, typeOf)),
  ])
  return ['[', ...parts, ']']
}

function mediumPieces(
  part: Exclude<ContentPart, { type: 'text' }>,
  { detail, media_as: mediaAs }: ResponseRules,
  typeOf: TypeOf,
): readonly BodyPiece[] {
  const type = typeOf(part)
  const address = findMediaUrl(part, mediaAs)
  const at = address === undefined ? [`data:${type.mime};base64,`, { part, type }] : [address]
  if (part.type !== 'file') return [`{"type":"input_image","detail":"${detail}","image_url":"`, ...at, '"}']
  // Not all servers that accept documents accept `detail`.
  const opening = `{"type":"input_file",${detail === 'auto' ? '' : `"detail":"${detail}",`}`
  return address === undefined
    ? [`${opening}"filename":"${documentName}","file_data":"`, ...at, '"}']
    : [`${opening}"file_url":"`, ...at, '"}']
}

/**
 * Writes the fields of a request with tools. The provider stores nothing, so it must return its encrypted reasoning,
 * which is sent back with the results.
 */
const toolFields = (tools: readonly ToolDeclaration[] | undefined): JsonObject =>
  tools === undefined
    ? {}
    : {
        tools: tools.map(tool => ({
          type: 'function',
          name: tool.name,
          ...(tool.description === undefined ? {} : { description: tool.description }),
          parameters: readParameters(tool),
          strict: false,
        })),
        tool_choice: 'auto',
        include: ['reasoning.encrypted_content'],
      }

/** Writes the items of a turn with tool calls, separated by commas. The original items are used if known. */
function callingItems({ content, toolCalls = [], turn }: ChatMessage): string {
  const originalItems = Array.isArray(turn) ? turn : undefined
  const texts = content.flatMap(part => (part.type === 'text' ? [{ role: 'assistant', content: part.text }] : []))
  const calls = toolCalls.map(call => ({
    type: 'function_call',
    call_id: call.id,
    name: call.name,
    arguments: JSON.stringify(parseArguments(call)),
  }))
  return (originalItems ?? [...texts, ...calls]).map(item => JSON.stringify(item)).join(',')
}

const functionCall = z.object({ call_id: z.string(), name: z.string(), arguments: z.string() })

/** Reads the requested tool calls, and the turn to be sent back with their results. @throws AttemptError if a call has no name */
export function readToolCalls(output: readonly { readonly type: string }[]): Pick<ResponseBody, 'toolCalls' | 'turn'> {
  const uses = output.filter(({ type }) => type === 'function_call')
  if (uses.length === 0) return {}
  const { data } = z.array(functionCall).safeParse(uses)
  const { data: turn } = z.array(z.record(z.string(), z.json())).safeParse(output)
  if (data === undefined || turn === undefined) throw makeMalformedError('called a tool in a form that is not known')
  const toolCalls = data.map((call): ToolCall => ({ id: call.call_id, name: call.name, arguments: call.arguments }))
  return { toolCalls, turn: turn.filter(isReadable) }
}

/** Reasoning without its content is left out, because the provider would search for it among stored answers. */
const isReadable = (item: JsonObject): boolean =>
  item['type'] !== 'reasoning' || typeof item['encrypted_content'] === 'string'
