import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { MediaType } from '../../../../base/media/media-type.js'
import type { MediaDigest } from '../../../../cache/digest.js'
import type {
  ChatMessage,
  ContentPart,
  GenerationKwargs,
  JsonObject,
  MediaPart,
  ResponseBody,
  ToolCall,
  ToolDeclaration,
} from '../../../../cache/records.js'
import type { ModelRequest } from '../../model.js'
import { readAnswerFormat, type AnswerFormat } from '../http/protocol/answer-format.js'
import { makeMalformedError } from '../http/protocol/failure.js'
import {
  findMediaUrl,
  parseArguments,
  otherKwargs,
  readParameters,
  refuseBeams,
  splitSystem,
  listStops,
  textIn,
  groupTurns,
} from '../http/protocol/request-parts.js'
import { type BodyPiece, makeFormatError, type TypeOf } from '../http/wire/media-body.js'

export interface ContentRules {
  readonly thinking_budget?: number | undefined
  readonly thinking_level?: string | undefined
  readonly include_thoughts: boolean
  readonly safety_threshold?: string | undefined
  readonly media_resolution?: 'low' | 'medium' | 'high' | undefined
  readonly media_as: 'bytes' | 'url'
  readonly omit: readonly string[]
  readonly extra_body: JsonObject
}

/** A medium, with its address at the provider if it was uploaded. */
export interface PlacedPart extends MediaPart {
  readonly fileUri?: string
}

/** The maximum number of stop sequences that the API accepts. */
const mostStops = 5

/** The API's names of the media types that it accepts. Some differ from the registered ones. */
const mimeTypes: Readonly<Record<string, string>> = {
  'image/png': 'image/png',
  'image/jpeg': 'image/jpeg',
  'image/webp': 'image/webp',
  'image/heic': 'image/heic',
  'audio/wav': 'audio/wav',
  'audio/mpeg': 'audio/mp3',
  'audio/flac': 'audio/flac',
  'audio/ogg': 'audio/ogg',
  'audio/mp4': 'audio/mp4',
  'audio/aac': 'audio/aac',
  'audio/aiff': 'audio/aiff',
  'video/mp4': 'video/mp4',
  'video/webm': 'video/webm',
  'video/quicktime': 'video/mov',
  'video/x-msvideo': 'video/avi',
  'video/mpeg': 'video/mpeg',
  'video/x-flv': 'video/x-flv',
  'video/x-ms-wmv': 'video/wmv',
  'application/pdf': 'application/pdf',
}

/** Returns the API's name of a media type. @throws AttemptError if the API does not accept the type */
export function convertMime(digest: MediaDigest, type: MediaType): string {
  const mimeType = mimeTypes[type.mime]
  if (mimeType === undefined) throw makeFormatError(digest, 'gemini', type)
  return mimeType
}

const harms = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT']

/** Writes the JSON text of one request, in pieces around the media. */
export function contentRequest(
  { input, generation }: ModelRequest,
  rules: ContentRules,
  typeOf: TypeOf,
): readonly BodyPiece[] {
  const { system, turns } = splitSystem(input.messages, 'gemini')
  const { extra_body: extra, safety_threshold: threshold } = rules
  const fields = {
    ...(system === '' ? {} : { system_instruction: { parts: [{ text: system }] } }),
    generationConfig: generationConfig(generation, rules),
    ...(threshold === undefined ? {} : { safetySettings: safetySettings(threshold) }),
    ...toolFields(input.tools),
    ...extra,
  }
  const pieces: BodyPiece[] = [JSON.stringify(fields).slice(0, -1), ',"contents":[']
  const write: PartWriter = part => partPieces(part, rules, typeOf)
  for (const [index, turn] of groupTurns(turns).entries())
    pieces.push(index === 0 ? '' : ',', ...turnPieces(turn, write))
  pieces.push(']}')
  return pieces
}

function formatFields(format: AnswerFormat | undefined): JsonObject {
  if (format === undefined) return {}
  const schema = format.type === 'json_schema' ? { responseJsonSchema: format.schema } : {}
  return { responseMimeType: 'application/json', ...schema }
}

function generationConfig(generation: GenerationKwargs, rules: ContentRules): JsonObject {
  const { max_new_tokens, temperature, top_p, top_k, seed, response_format: format, ...others } = generation
  refuseBeams(generation)
  const stops = listStops(generation)
  const thinking = thinkingConfig(rules)
  const { media_resolution: resolution } = rules
  const config: Record<string, Json | undefined> = {
    ...(max_new_tokens === undefined ? {} : { maxOutputTokens: max_new_tokens }),
    ...formatFields(readAnswerFormat(format)),
    // A missing temperature means 0 in keys, so 0 is sent: the server's own default differs.
    temperature: temperature ?? 0,
    ...(top_p === undefined || top_p === 1 ? {} : { topP: top_p }),
    ...(top_k === undefined ? {} : { topK: top_k }),
    ...(seed === undefined ? {} : { seed }),
    ...(stops.length === 0 || stops.length > mostStops ? {} : { stopSequences: stops }),
    ...(Object.keys(thinking).length === 0 ? {} : { thinkingConfig: thinking }),
    ...(resolution === undefined ? {} : { mediaResolution: `MEDIA_RESOLUTION_${resolution.toUpperCase()}` }),
  }
  for (const [name, value] of Object.entries(otherKwargs(others))) config[camelCase(name)] = value
  for (const name of rules.omit) config[name] = undefined
  return config
}

const thinkingConfig = ({ thinking_budget, thinking_level, include_thoughts }: ContentRules): JsonObject => ({
  ...(thinking_budget === undefined ? {} : { thinkingBudget: thinking_budget }),
  ...(thinking_level === undefined ? {} : { thinkingLevel: thinking_level }),
  ...(include_thoughts ? { includeThoughts: true } : {}),
})

const safetySettings = (threshold: string): Json =>
  harms.map(harm => ({ category: `HARM_CATEGORY_${harm}`, threshold }))

/** Converts a name: `presence_penalty` becomes `presencePenalty`. */
const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

type PartWriter = (part: ContentPart) => readonly BodyPiece[]

function turnPieces(turn: readonly [ChatMessage, ...ChatMessage[]], write: PartWriter): readonly BodyPiece[] {
  const [message] = turn
  if (message.toolCalls !== undefined) return [`{"role":"model","parts":${callingParts(message)}}`]
  const writtenParts =
    message.role === 'tool' ? turn.flatMap(result => resultPieces(result, write)) : writeParts(message, write)
  const parts = writtenParts.flatMap((part, index) => [index === 0 ? '' : ',', ...part])
  return [`{"role":"${message.role === 'assistant' ? 'model' : 'user'}","parts":[`, ...parts, ']}']
}

const writeParts = ({ content }: Pick<ChatMessage, 'content'>, write: PartWriter): readonly (readonly BodyPiece[])[] =>
  content.map(write)

/** Writes all tool results after one model turn as one user turn. Each result is followed by its media. */
const resultPieces = (result: ChatMessage, write: PartWriter): readonly (readonly BodyPiece[])[] => [
  [resultPart(result)],
  ...writeParts({ content: result.content.filter(part => part.type !== 'text') }, write),
]

function partPieces(part: ContentPart, rules: ContentRules, typeOf: TypeOf): readonly BodyPiece[] {
  if (part.type === 'text') return [JSON.stringify({ text: part.text })]
  const type = typeOf(part)
  const mime = convertMime(part.media, type)
  const address = readFileUri(part) ?? findMediaUrl(part, rules.media_as)
  if (address !== undefined) return [`{"file_data":{"mime_type":"${mime}","file_uri":"${address}"}}`]
  return [`{"inline_data":{"mime_type":"${mime}","data":"`, { part, type }, '"}}']
}

/** The address of a medium that was uploaded. */
const readFileUri = ({ fileUri }: PlacedPart): string | undefined => fileUri

/** Writes the fields of a request with tools. */
const toolFields = (tools: readonly ToolDeclaration[] | undefined): JsonObject =>
  tools === undefined
    ? {}
    : {
        tools: [
          {
            functionDeclarations: tools.map(tool => ({
              name: tool.name,
              description: tool.description ?? '',
              parametersJsonSchema: readParameters(tool),
            })),
          },
        ],
      }

/** Writes the parts of a turn with tool calls. The original parts are used if known, because thoughts are signed. */
function callingParts({ content, toolCalls = [], turn }: ChatMessage): string {
  if (Array.isArray(turn)) return JSON.stringify(turn)
  const texts = content.flatMap(part => (part.type === 'text' ? [{ text: part.text }] : []))
  const calls = toolCalls.map(call => ({ functionCall: { name: call.name, args: parseArguments(call) } }))
  return JSON.stringify([...texts, ...calls])
}

/** Writes the result of one call without its media. */
function resultPart(message: ChatMessage): string {
  const { toolCallId = '', toolName, isToolError } = message
  const said = textIn(message)
  const response = isToolError === true ? { error: said } : { result: said }
  // An id that was generated here is unknown to the API, so it is not sent.
  const id = madeUp.test(toolCallId) ? {} : { id: toolCallId }
  return JSON.stringify({ functionResponse: { ...id, name: toolName, response } })
}

const madeUp = /^call_\d+$/

const calling = z.looseObject({
  functionCall: z.object({
    id: z.string().nullish(),
    name: z.string(),
    args: z.record(z.string(), z.json()).nullish(),
  }),
})

/** Reads the requested tool calls, and the turn to be sent back with their results. @throws AttemptError if a call has no name */
export function readToolCalls(parts: readonly object[]): Pick<ResponseBody, 'toolCalls' | 'turn'> {
  const uses = parts.filter(part => 'functionCall' in part)
  if (uses.length === 0) return {}
  const { data } = z.array(calling).safeParse(uses)
  const { data: turn } = z.array(z.record(z.string(), z.json())).safeParse(parts)
  if (data === undefined || turn === undefined) throw makeMalformedError('called a tool in a form that is not known')
  const toolCalls = data.map(({ functionCall: { id, name, args } }, index): ToolCall => {
    return { id: id == null || id === '' ? `call_${index}` : id, name, arguments: JSON.stringify(args ?? {}) }
  })
  return { toolCalls, turn }
}
