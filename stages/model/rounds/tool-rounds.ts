import type { ChatMessage, ResponseBody, ToolCall } from '../../../cache/records.js'
import { turnOf, type Conversation } from './conversation.js'
import { errorReason, type StepResult } from './ledger.js'

/** Calls tools for a model. */
export interface Tools {
  /**
   * What a call comes to. What the model did wrong (no such tool, arguments that are none) is a result that says so.
   *
   * @throws AttemptError where whoever offers the tool can't be reached.
   */
  call(call: ToolCall, signal: AbortSignal): Promise<StepResult>
}

/** A round with all calls of tools that the model makes before it answers. */
export type AnswerTo = (
  messages: readonly ChatMessage[],
) => Promise<{ readonly body: ResponseBody; readonly messages: readonly ChatMessage[] }>

/**
 * Asks, calls the tools that the model wants called, and asks again with what came of it, until it wants none. After `most`
 * rounds of calls what it still wants is not done: its last words are the answer, which ends with `tool_calls`.
 */
export function callTools(
  conversation: Conversation,
  { tools, most, signal }: { readonly tools: Tools | undefined; readonly most: number; readonly signal: AbortSignal },
): AnswerTo {
  return async first => {
    let messages = first
    for (let round = 0; ; round += 1) {
      const body = await conversation.ask(messages)
      const { toolCalls = [] } = body
      if (toolCalls.length === 0 || tools === undefined || round >= most) return { body, messages }
      const results: ChatMessage[] = []
      for (const [index, call] of toolCalls.entries()) {
        const made = await conversation.step(`call ${index}`, () => tools.call(call, signal))
        results.push(resultOf(call, made))
      }
      messages = [...messages, turnOf(body), ...results]
    }
  }
}

function resultOf({ id, name }: ToolCall, { text, content = [], rawFinishReason }: ResponseBody): ChatMessage {
  const said = text === '' && content.length > 0 ? [] : [{ type: 'text' as const, text }]
  return {
    role: 'tool',
    toolCallId: id,
    toolName: name,
    ...(rawFinishReason === errorReason ? { isToolError: true } : {}),
    content: [...said, ...content],
  }
}
