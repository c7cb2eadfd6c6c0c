import { z } from 'zod'
import type { ChatMessage, JsonObject, ResponseBody, ToolCall, ToolDeclaration } from '../../../../cache/records.js'
import { malformed } from '../http/protocol/failure.js'
import type { BodyPiece } from '../http/wire/media-body.js'
import { argumentsOf, parametersOf } from '../http/protocol/tool-calls.js'

/** Fields of a request with tools. */
export const toolFields = (tools: readonly ToolDeclaration[] | undefined): JsonObject =>
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
export function callingBlocks({ content, toolCalls = [], turn }: ChatMessage): string {
  if (Array.isArray(turn)) return JSON.stringify(turn)
  const texts = content.flatMap(part => (part.type === 'text' ? [{ type: 'text', text: part.text }] : []))
  const calls = toolCalls.map(call => ({ type: 'tool_use', id: call.id, name: call.name, input: argumentsOf(call) }))
  return JSON.stringify([...texts, ...calls])
}

/** The result of one call. @param content the pieces of its parts, with commas between */
export function resultBlock(
  { toolCallId, isToolError }: ChatMessage,
  content: readonly BodyPiece[],
): readonly BodyPiece[] {
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
