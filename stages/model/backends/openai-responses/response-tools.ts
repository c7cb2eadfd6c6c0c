import { z } from 'zod'
import type { ChatMessage, JsonObject, ResponseBody, ToolCall, ToolDeclaration } from '../../../../cache/records.js'
import { malformed } from '../http/protocol/failure.js'
import { argumentsOf, parametersOf } from '../http/protocol/tool-calls.js'

/** Fields of a request with tools. Nothing is kept there, so that what was thought before a call must come along to be given back. */
export const toolFields = (tools: readonly ToolDeclaration[] | undefined): JsonObject =>
  tools === undefined
    ? {}
    : {
        tools: tools.map(tool => ({
          type: 'function',
          name: tool.name,
          ...(tool.description === undefined ? {} : { description: tool.description }),
          parameters: parametersOf(tool),
          strict: false,
        })),
        tool_choice: 'auto',
        include: ['reasoning.encrypted_content'],
      }

/** The items of a turn in which the model called tools, with commas between; as it wrote them, where that is known. */
export function callingItems({ content, toolCalls = [], turn }: ChatMessage): string {
  const written = Array.isArray(turn) ? turn : undefined
  const texts = content.flatMap(part => (part.type === 'text' ? [{ role: 'assistant', content: part.text }] : []))
  const calls = toolCalls.map(call => ({
    type: 'function_call',
    call_id: call.id,
    name: call.name,
    arguments: JSON.stringify(argumentsOf(call)),
  }))
  return (written ?? [...texts, ...calls]).map(item => JSON.stringify(item)).join(',')
}

const functionCall = z.object({ call_id: z.string(), name: z.string(), arguments: z.string() })

/** What the model wants done, with its turn as it is to be given back. @throws AttemptError where a call has no name. */
export function callsOf(output: readonly { readonly type: string }[]): Pick<ResponseBody, 'toolCalls' | 'turn'> {
  const uses = output.filter(({ type }) => type === 'function_call')
  if (uses.length === 0) return {}
  const { data } = z.array(functionCall).safeParse(uses)
  const { data: turn } = z.array(z.record(z.string(), z.json())).safeParse(output)
  if (data === undefined || turn === undefined) throw malformed('called a tool in a form that is not known')
  const toolCalls = data.map((call): ToolCall => ({ id: call.call_id, name: call.name, arguments: call.arguments }))
  return { toolCalls, turn: turn.filter(isReadable) }
}

/** A thought that is not there itself is looked for where nothing is kept. */
const isReadable = (item: JsonObject): boolean =>
  item['type'] !== 'reasoning' || typeof item['encrypted_content'] === 'string'
