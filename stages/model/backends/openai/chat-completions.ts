import type { JsonObject, ChatMessage, ContentPart, GenerationKwargs, MediaPart } from '../../../../cache/records.js'
import type { BackendDefinition } from '../../define-backend.js'
import type { Protocol } from '../http/protocol/protocol.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { parseAnswer } from './chat-answer.js'
import { StreamedChat } from './chat-stream.js'
import { answerFailure } from './failure.js'
import { pathToFileURL } from 'node:url'
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { MediaDigest } from '../../../../cache/digest.js'
import type { ModelRequest } from '../../model.js'
import { documentName, findMediaUrl, otherKwargs, refuseBeams, listStops } from '../http/protocol/request-parts.js'
import type { BodyPiece, TypeOf } from '../http/wire/media-body.js'
import type { ChatDialect } from './chat-arguments.js'
import { callingMessage, resultMessage, toolFields, withMediaApart } from './chat-tools.js'

export interface ChatCall {
  readonly endpoint: Endpoint
  readonly rules: ChatRules
  readonly accepts: BackendDefinition['accepts']
  /** The API version that Azure requires in each call. */
  readonly apiVersion?: string | undefined
  /** The header for the key. @default authorization */
  readonly keyHeader?: 'api-key' | undefined
}

/** OpenAI's chat completions API, which most providers and servers implement. */
export function chatCompletions({ endpoint, rules, accepts, apiVersion, keyHeader }: ChatCall): Protocol {
  const query = apiVersion === undefined ? '' : `?api-version=${encodeURIComponent(apiVersion)}`
  return {
    path: `${endpoint.path}/chat/completions${query}`,
    headers: keyHeaders(endpoint.apiKey, keyHeader),
    accepts,
    takesTools: true,
    write: (request, typeOf) => chatRequest(request, rules, typeOf),
    read: (received, request) => parseAnswer(received, request, endpoint),
    failure: answer => answerFailure(answer, endpoint),
    streaming: {
      fields: streamFields(rules),
      assemble: () => new StreamedChat(endpoint),
    },
  }
}

/**
 * Selects the streaming fields. Token counts must be requested. Mistral, the only API with another name for the seed,
 * counts unasked and rejects the field. For other servers without it, `omit` leaves it out.
 */
const streamFields = ({ omit, seed_field: seed }: ChatRules): JsonObject => ({
  stream: true,
  ...(seed === 'random_seed' || omit.includes('stream_options') ? {} : { stream_options: { include_usage: true } }),
})

/** Makes the header with the key. */
export function keyHeaders(apiKey: string | undefined, keyHeader?: 'api-key'): Record<string, string> {
  if (apiKey === undefined) return {}
  return keyHeader === undefined ? { authorization: `Bearer ${apiKey}` } : { [keyHeader]: apiKey }
}

interface ChatRules {
  readonly model: string
  readonly detail?: 'auto' | 'low' | 'high' | undefined
  readonly reasoning_effort?: string | undefined
  readonly max_tokens_field: 'max_tokens' | 'max_completion_tokens'
  readonly seed_field: 'seed' | 'random_seed'
  readonly dialect?: ChatDialect
  readonly media_as?: 'bytes' | 'url' | 'file'
  /** Returns the path of a medium's file, for `media_as: file`. */
  readonly mediaPath?: (digest: MediaDigest) => string
  /** Tells whether media that are sent as bytes are named by their digests. */
  readonly sendsUuids?: () => boolean
  readonly omit: readonly string[]
  readonly extra_body: JsonObject
}

/** The maximum number of stop sequences in the protocol. */
const mostStops = 4

/** Writes the JSON text of one request, in pieces around the media. */
function chatRequest({ input, generation }: ModelRequest, rules: ChatRules, typeOf: TypeOf): readonly BodyPiece[] {
  const fields = parameters(generation, rules, toolFields(input.tools))
  const pieces: BodyPiece[] = [JSON.stringify(fields).slice(0, -1), ',"messages":[']
  for (const [index, message] of withMediaApart(input.messages).entries()) {
    pieces.push(index === 0 ? '' : ',', ...messagePieces(message, rules, typeOf))
  }
  pieces.push(']}')
  return pieces
}

type Parameters = Omit<ChatCompletionCreateParamsNonStreaming, 'messages' | 'reasoning_effort'>

/** A type whose fields may be undefined. Undefined fields are not written. */
type WithAbsent<T> = { readonly [Name in keyof T]: T[Name] | undefined }

function parameters(generation: GenerationKwargs, rules: ChatRules, tools: JsonObject): JsonObject {
  const { max_new_tokens, temperature, top_p, seed, ...others } = generation
  refuseBeams(generation)
  const stop = listStops(generation)
  const fields = {
    model: rules.model,
    [rules.max_tokens_field]: max_new_tokens,
    // A missing temperature means 0 in keys, so 0 is sent: the server's own default differs.
    temperature: temperature ?? 0,
    top_p: top_p === 1 ? undefined : top_p,
    stop: stop.length === 0 || stop.length > mostStops ? undefined : [...stop],
  } satisfies WithAbsent<Parameters>
  const body: Record<string, Json | undefined> = { ...fields, ...otherKwargs(others), ...tools }
  if (seed !== undefined) body[rules.seed_field] = seed
  if (rules.reasoning_effort !== undefined) Object.assign(body, effortField(rules.reasoning_effort, rules))
  Object.assign(body, rules.extra_body)
  for (const name of rules.omit) body[name] = undefined
  return body
}

const effortField = (effort: string, { dialect }: ChatRules): JsonObject =>
  dialect === 'openrouter' ? { reasoning: { effort } } : { reasoning_effort: effort }

function messagePieces(message: ChatMessage, rules: ChatRules, typeOf: TypeOf): readonly BodyPiece[] {
  const { role, content } = message
  if (role === 'tool') return [resultMessage(message)]
  if (message.toolCalls !== undefined) return [callingMessage(message)]
  const opening = `{"role":"${role}","content":`
  const [only] = content
  // Some servers accept a list of parts only with media, so a single text is sent as a string.
  if (content.length === 1 && only?.type === 'text') return [`${opening}${JSON.stringify(only.text)}}`]
  const parts = content.flatMap((part, index) => [index === 0 ? '' : ',', ...partPieces(part, rules, typeOf)])
  return [`${opening}[`, ...parts, ']}']
}

function partPieces(part: ContentPart, rules: ChatRules, typeOf: TypeOf): readonly BodyPiece[] {
  if (part.type === 'text') return [JSON.stringify({ type: 'text', text: part.text })]
  const medium = { part, type: typeOf(part) }
  const isMistral = rules.dialect === 'mistral'
  if (part.type === 'audio') {
    if (isMistral) return ['{"type":"input_audio","input_audio":"', medium, '"}']
    const closing = `","format":"${medium.type.format}"}${uuidField(part, rules)}}`
    return ['{"type":"input_audio","input_audio":{"data":"', medium, closing]
  }
  if (part.type === 'file') {
    const from = addressPieces(part, rules) ?? [`data:${medium.type.mime};base64,`, medium]
    if (isMistral) return [`{"type":"document_url","document_name":"${documentName}","document_url":"`, ...from, '"}']
    const opening = `{"type":"file","file":{"filename":"${documentName}","file_data":"data:${medium.type.mime};base64,`
    return [opening, medium, '"}}']
  }
  const at = addressPieces(part, rules) ?? [`data:${medium.type.mime};base64,`, medium]
  // Videos are not part of OpenAI's own protocol. This form is shared by vLLM and SGLang.
  if (part.type === 'video') return ['{"type":"video_url","video_url":{"url":"', ...at, `"}${uuidField(part, rules)}}`]
  const detail = rules.detail === undefined ? '' : `,"detail":"${rules.detail}"`
  return ['{"type":"image_url","image_url":{"url":"', ...at, `"${detail}}${uuidField(part, rules)}}`]
}

/** The server fetches what an address has now, which may be something else than the medium with this digest. */
const uuidField = (part: MediaPart, rules: ChatRules): string =>
  rules.sendsUuids?.() === true && (rules.media_as !== 'url' || part.url === undefined) ? `,"uuid":"${part.media}"` : ''

/** Returns the address that the server downloads a medium from. @returns undefined if its bytes are sent */
function addressPieces(part: MediaPart, { media_as: by, mediaPath }: ChatRules): readonly string[] | undefined {
  if (by === 'file' && mediaPath !== undefined)
    return [JSON.stringify(pathToFileURL(mediaPath(part.media)).href).slice(1, -1)]
  const address = findMediaUrl(part, by === 'url' ? 'url' : 'bytes')
  return address === undefined ? undefined : [address]
}
