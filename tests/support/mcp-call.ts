import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { CallToolResultSchema, type Progress } from '@modelcontextprotocol/sdk/types.js'

/** What a tool answered. */
export interface Called {
  /** The structured answer, which the client has checked against the tool's output schema. */
  readonly data: Readonly<Record<string, unknown>>
  /** The text of an answer or error. */
  readonly text: string
  readonly isError: boolean
}

export interface CallOptions {
  readonly onprogress?: (progress: Progress) => void
  readonly timeout?: number
  readonly signal?: AbortSignal
}

/** Calls a tool as an agent does. Output schemas are known to the client once it has listed the tools. */
export async function called(client: Client, name: string, args: object, options: CallOptions = {}): Promise<Called> {
  const answer = await client.callTool({ name, arguments: { ...args } }, CallToolResultSchema, options)
  const { content, structuredContent, isError } = CallToolResultSchema.parse(answer)
  const [first] = content
  return { data: structuredContent ?? {}, text: first?.type === 'text' ? first.text : '', isError: isError === true }
}
