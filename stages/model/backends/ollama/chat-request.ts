import type { Json } from '../../../../base/values/canonical-json.js'
import type { ChatMessage, GenerationKwargs, JsonObject, MediaPart } from '../../../../cache/records.js'
import type { ModelRequest } from '../../model.js'
import { takesFormat } from '../conversion/taken-formats.js'
import { readAnswerFormat, type AnswerFormat } from '../http/protocol/answer-format.js'
import { parseArguments, otherKwargs, refuseBeams, listStops, textIn } from '../http/protocol/request-parts.js'
import { type BodyPiece, makeFormatError, type TypeOf } from '../http/wire/media-body.js'
import { toolFields, withMediaApart } from '../openai/chat-tools.js'

export interface OllamaRules {
  readonly model: string
  readonly num_ctx?: number | undefined
  readonly keep_alive?: string | number | undefined
  readonly think?: boolean | string | undefined
  readonly options: JsonObject
  readonly omit: readonly string[]
  readonly extra_body: JsonObject
}

/** Writes the JSON text of one request, in pieces around the images. */
export function ollamaRequest(
  { input, generation }: ModelRequest,
  rules: OllamaRules,
  typeOf: TypeOf,
): readonly BodyPiece[] {
  const { tools } = toolFields(input.tools)
  const { response_format: format, ...sampling } = generation
  const fields: Record<string, Json | undefined> = {
    model: rules.model,
    ...(rules.keep_alive === undefined ? {} : { keep_alive: rules.keep_alive }),
    ...(rules.think === undefined ? {} : { think: rules.think }),
    // Otherwise the server silently drops the beginning of a prompt that is too long.
    truncate: false,
    shift: false,
    options: options(sampling, rules),
    ...formatField(readAnswerFormat(format)),
    ...(tools === undefined ? {} : { tools }),
    ...rules.extra_body,
  }
  for (const name of rules.omit) fields[name] = undefined
  const pieces: BodyPiece[] = [JSON.stringify(fields).slice(0, -1), ',"messages":[']
  const messages = withMediaApart(input.messages).flatMap(inOrder)
  for (const [index, message] of messages.entries())
    pieces.push(index === 0 ? '' : ',', ...messagePieces(message, typeOf))
  pieces.push(']}')
  return pieces
}

function formatField(format: AnswerFormat | undefined): JsonObject {
  if (format === undefined) return {}
  return { format: format.type === 'json_schema' ? format.schema : 'json' }
}

function options(generation: GenerationKwargs, rules: OllamaRules): JsonObject {
  const { max_new_tokens, temperature, top_p, seed, ...others } = generation
  refuseBeams(generation)
  const stop = listStops(generation)
  const values: Record<string, Json | undefined> = {
    ...(max_new_tokens === undefined ? {} : { num_predict: max_new_tokens }),
    // A missing temperature means 0 in keys, so 0 is sent: the server's own default differs.
    temperature: temperature ?? 0,
    ...(top_p === undefined || top_p === 1 ? {} : { top_p }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop.length === 0 ? {} : { stop: [...stop] }),
    ...otherKwargs(others),
    ...(rules.num_ctx === undefined ? {} : { num_ctx: rules.num_ctx }),
    ...rules.options,
  }
  for (const name of rules.omit) values[name] = undefined
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/**
 * Splits a message if an image comes after text, because a message has its images before its text. The server joins
 * messages of the same role. Ollama's own OpenAI-compatible API does the same.
 */
function inOrder(message: ChatMessage): readonly ChatMessage[] {
  const pieces: ChatMessage['content'][number][][] = [[]]
  for (const part of message.content) {
    const piece = pieces.at(-1) ?? []
    if (part.type !== 'text' && piece.at(-1)?.type === 'text') pieces.push([part])
    else piece.push(part)
  }
  return pieces.map(content => ({ ...message, content }))
}

function messagePieces(message: ChatMessage, typeOf: TypeOf): readonly BodyPiece[] {
  const images = message.content.filter((part): part is MediaPart => part.type !== 'text')
  const fields = {
    role: message.role,
    content: textIn(message),
    ...(message.toolName === undefined ? {} : { tool_name: message.toolName }),
    ...(message.toolCalls === undefined
      ? {}
      : {
          tool_calls: message.toolCalls.map(call => ({
            function: { name: call.name, arguments: parseArguments(call) },
          })),
        }),
  }
  if (images.length === 0) return [JSON.stringify(fields)]
  const imagePieces = images.flatMap((part, index): BodyPiece[] => [
    index === 0 ? '"' : '","',
    imagePiece(part, typeOf),
  ])
  return [`${JSON.stringify(fields).slice(0, -1)},"images":[`, ...imagePieces, '"]}']
}

function imagePiece(part: MediaPart, typeOf: TypeOf): BodyPiece {
  const type = typeOf(part)
  if (!takesFormat('ollama', type)) throw makeFormatError(part.media, 'ollama', type)
  return { part, type }
}
