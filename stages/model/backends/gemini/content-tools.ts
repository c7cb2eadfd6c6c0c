import { z } from 'zod'
import type { ChatMessage, JsonObject, ResponseBody, ToolCall, ToolDeclaration } from '../../../../cache/records.js'
import { malformed } from '../http/protocol/failure.js'
import { argumentsOf, parametersOf, textIn } from '../http/protocol/tool-calls.js'

/** Fields of a request with tools. */
export const toolFields = (tools: readonly ToolDeclaration[] | undefined): JsonObject =>
  tools === undefined
    ? {}
    : {
        tools: [
          {
            functionDeclarations: tools.map(tool => ({
              name: tool.name,
              description: tool.description ?? '',
              parametersJsonSchema: parametersOf(tool),
            })),
          },
        ],
      }

/** The parts of a turn in which the model called tools; as it wrote them, where that is known: thoughts are signed. */
export function callingParts({ content, toolCalls = [], turn }: ChatMessage): string {
  if (Array.isArray(turn)) return JSON.stringify(turn)
  const texts = content.flatMap(part => (part.type === 'text' ? [{ text: part.text }] : []))
  const calls = toolCalls.map(call => ({ functionCall: { name: call.name, args: argumentsOf(call) } }))
  return JSON.stringify([...texts, ...calls])
}

/** The result of one call, without the media that belong to it. */
export function resultPart(message: ChatMessage): string {
  const { toolCallId = '', toolName, isToolError } = message
  const said = textIn(message)
  const response = isToolError === true ? { error: said } : { result: said }
  // An id that was made up here is not the API's to know.
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

/** What the model wants done, with its turn as it is to be given back. @throws AttemptError where a call has no name. */
export function callsOf(parts: readonly object[]): Pick<ResponseBody, 'toolCalls' | 'turn'> {
  const uses = parts.filter(part => 'functionCall' in part)
  if (uses.length === 0) return {}
  const { data } = z.array(calling).safeParse(uses)
  const { data: turn } = z.array(z.record(z.string(), z.json())).safeParse(parts)
  if (data === undefined || turn === undefined) throw malformed('called a tool in a form that is not known')
  const toolCalls = data.map(({ functionCall: { id, name, args } }, index): ToolCall => {
    return { id: id == null || id === '' ? `call_${index}` : id, name, arguments: JSON.stringify(args ?? {}) }
  })
  return { toolCalls, turn }
}
