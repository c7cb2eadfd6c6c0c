import { z } from 'zod'
import type { ChatMessage, JsonObject, ResponseBody, ToolCall, ToolDeclaration } from '../../../../cache/records.js'
import { makeMalformedError } from '../http/protocol/failure.js'
import { parseArguments, readParameters, textIn, groupTurns } from '../http/protocol/request-parts.js'

/** Writes the fields of a request with tools. */
export const toolFields = (tools: readonly ToolDeclaration[] | undefined): JsonObject =>
  tools === undefined
    ? {}
    : {
        tools: tools.map(tool => ({
          type: 'function',
          function: {
            name: tool.name,
            ...(tool.description === undefined ? {} : { description: tool.description }),
            parameters: readParameters(tool),
          },
        })),
        tool_choice: 'auto',
      }

/** Moves the media of tool results into a user turn behind them, because the protocol accepts only text as a result. */
export const withMediaApart = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  groupTurns(messages).flatMap(turn => {
    const media = turn[0].role === 'tool' ? turn.flatMap(mediaOfResult) : []
    return media.length === 0 ? turn : [...turn, { role: 'user' as const, content: media }]
  })

function mediaOfResult({ content, toolName = 'the tool' }: ChatMessage): ChatMessage['content'] {
  const media = content.filter(part => part.type !== 'text')
  return media.length === 0 ? [] : [{ type: 'text', text: `What ${toolName} gave:` }, ...media]
}

/** Writes the result of a call. */
export const resultMessage = (message: ChatMessage): string =>
  JSON.stringify({ role: 'tool', tool_call_id: message.toolCallId, content: textIn(message) })

/** Writes a turn of the model with tool calls. Fields that the server needs back are sent unchanged. */
export function callingMessage(message: ChatMessage): string {
  const { tool_calls: raw, ...own } = turnSchema.safeParse(message.turn).data ?? {}
  const text = textIn(message)
  return JSON.stringify({
    role: 'assistant',
    content: text === '' ? null : text,
    ...own,
    tool_calls: message.toolCalls?.map((call, index) => ({
      ...raw?.[index],
      id: call.id,
      type: 'function',
      // Some servers parse the arguments before the model sees them, so they must be valid JSON.
      function: { name: call.name, arguments: JSON.stringify(parseArguments(call)) },
    })),
  })
}

/** The fields of a call that are read. Servers differ in all others. */
const toolCallSchema = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({
    name: z.string(),
    // Some servers parse the model's text, and send an object.
    arguments: z.union([z.string(), z.record(z.string(), z.json())]).nullish(),
  }),
})

const turnSchema = z.object({
  reasoning_content: z.string().optional(),
  reasoning: z.string().optional(),
  reasoning_details: z.array(z.json()).optional(),
  tool_calls: z.array(z.record(z.string(), z.json())).optional(),
})

/** Reads the requested tool calls, and the fields that the server needs back. @throws AttemptError if a call has no name */
export function readToolCalls(message: {
  readonly tool_calls?: readonly unknown[] | null | undefined
  readonly reasoning_content?: string | null | undefined
  readonly reasoning?: string | null | undefined
  readonly reasoning_details?: readonly unknown[] | null | undefined
}): Pick<ResponseBody, 'toolCalls' | 'turn'> {
  const { tool_calls: calls, reasoning_content, reasoning } = message
  if (calls == null || calls.length === 0) return {}
  const { data: raw } = z.array(toolCallSchema).safeParse(calls)
  if (raw === undefined) throw makeMalformedError('called a tool in a form that is not known')
  const toolCalls = raw.map(({ id, function: called }, index): ToolCall => {
    const { name, arguments: rawArguments } = called
    return {
      id: id == null || id === '' ? `call_${index}` : id,
      name,
      arguments: typeof rawArguments === 'string' ? rawArguments : JSON.stringify(rawArguments ?? {}),
    }
  })
  const extras = raw.map(readExtraContent)
  // OpenRouter's signed or encrypted reasoning: the model behind it rejects its own turn without it.
  const details = z.array(z.json()).safeParse(message.reasoning_details ?? []).data ?? []
  const turn: JsonObject = {
    ...(reasoning_content == null ? {} : { reasoning_content }),
    ...(reasoning == null ? {} : { reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(extras.some(extra => Object.keys(extra).length > 0) ? { tool_calls: extras } : {}),
  }
  return { toolCalls, ...(Object.keys(turn).length === 0 ? {} : { turn }) }
}

/** Reads Gemini's signed thoughts, which an OpenAI-compatible response attaches to a call. */
function readExtraContent({ extra_content: extra }: z.output<typeof toolCallSchema>): JsonObject {
  const read = z.json().safeParse(extra)
  return extra === undefined || !read.success ? {} : { extra_content: read.data }
}
