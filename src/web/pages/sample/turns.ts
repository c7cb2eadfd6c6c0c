import type { MessageView } from '../../../present/page/data/index.js'

/** A tool call with its result. One of them is absent where the conversation broke off, or a log left the call out. */
export interface ToolUse {
  readonly call: MessageView['toolCalls'][number] | undefined
  readonly result: MessageView | undefined
}

/** A message with the tools that it calls. */
export interface Turn {
  readonly message: MessageView
  readonly tools: readonly ToolUse[]
}

/** Lists the turns of a conversation. Results of tools belong to the calls before them, in their order. */
export function listTurns(messages: readonly MessageView[]): readonly Turn[] {
  const turns: { readonly message: MessageView; readonly results: MessageView[] }[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role === 'tool' && last?.message.role === 'assistant') last.results.push(message)
    else turns.push({ message, results: [] })
  }
  return turns.map(({ message, results }) => ({
    message,
    tools: Array.from({ length: Math.max(message.toolCalls.length, results.length) }, (_, index) => ({
      call: message.toolCalls[index],
      result: results[index],
    })),
  }))
}
