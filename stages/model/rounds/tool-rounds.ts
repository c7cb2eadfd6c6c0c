import type { ChatMessage, Conversation as Rules, ResponseBody, ToolCall } from '../../../cache/records.js'
import { AttemptError } from '../model.js'
import { formatCallPosition, makeAssistantMessage, type Conversation } from './conversation.js'
import { errorReason, type StepResult } from './ledger.js'

/** Rules for calling a tool. */
export interface CallRules {
  readonly signal: AbortSignal
  /**
   * Set if the call must not be repeated. It is called before the call is sent, and commits that. Such a call is not
   * repeated if its server ends.
   *
   * @throws AttemptError if the call was begun before
   */
  readonly once?: (() => Promise<void>) | undefined
}

/** Calls tools for a model. */
export interface Tools {
  /**
   * Calls a tool. A mistake of the model (an unknown tool, invalid arguments) becomes a result that names it.
   *
   * @throws AttemptError if the tool's server cannot be reached
   */
  call(call: ToolCall, rules: CallRules): Promise<StepResult>
  /** Tells whether a tool declares that it changes nothing. Such calls may run in any order. */
  isReadOnly?(name: string): boolean
}

/** Sends a round, with all tool calls that the model makes before it answers. */
export type AnswerTo = (
  messages: readonly ChatMessage[],
) => Promise<{ readonly body: ResponseBody; readonly messages: readonly ChatMessage[] }>

interface ToolRounds {
  readonly tools: Tools | undefined
  /** The maximum number of rounds of tool calls. */
  readonly most: number
  readonly repeatTools?: Rules['repeatTools']
  readonly signal: AbortSignal
}

/**
 * Sends the messages, calls the requested tools and sends their results, until the model requests none. After `most`
 * rounds, further calls are not made. The last message is then the answer, with the finish reason `tool_calls`.
 */
export function callTools(conversation: Conversation, rounds: ToolRounds): AnswerTo {
  const { tools, most } = rounds
  return async first => {
    let messages = first
    for (let round = 0; ; round += 1) {
      const body = await conversation.ask(messages)
      const { toolCalls = [] } = body
      if (toolCalls.length === 0 || tools === undefined || round >= most) return { body, messages }
      const results = await callAll(conversation, toolCalls, { ...rounds, tools })
      messages = [...messages, makeAssistantMessage(body), ...results]
    }
  }
}

/** Makes the calls in the model's order. Consecutive calls that change nothing run in parallel. */
async function callAll(
  conversation: Conversation,
  calls: readonly ToolCall[],
  rounds: ToolRounds & { readonly tools: Tools },
): Promise<readonly ChatMessage[]> {
  const results: ChatMessage[] = []
  while (results.length < calls.length) {
    const [from, rest] = [results.length, calls.slice(results.length)]
    const changing = rest.findIndex(({ name }) => rounds.tools.isReadOnly?.(name) !== true)
    const together = rest.slice(0, changing === -1 ? rest.length : Math.max(1, changing))
    const outcomes = await Promise.allSettled(
      together.map(async (call, index) =>
        makeToolMessage(call, await callOne(conversation, { call, index: from + index }, rounds)),
      ),
    )
    // A failure waits for the other calls, so that their results are stored.
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw outcome.reason
      results.push(outcome.value)
    }
  }
  return results
}

function callOne(
  conversation: Conversation,
  { call, index }: { readonly call: ToolCall; readonly index: number },
  { tools, repeatTools = {}, signal }: ToolRounds & { readonly tools: Tools },
): Promise<ResponseBody> {
  const at = formatCallPosition(index)
  const mayRepeat = new Map(Object.entries(repeatTools))
  if (mayRepeat.get(call.name) ?? mayRepeat.get('*') ?? true)
    return conversation.step(at, () => tools.call(call, { signal }))
  let isMarked = false
  const once = async (): Promise<void> => {
    if (!isMarked && !(await conversation.isFirst(`${at} begun`)))
      throw new AttemptError(
        'server',
        `${call.name} was called and its result is lost: the task declares that it is not repeated (repeat_tools). A fresh run sends the doc again`,
        { isRetryable: false },
      )
    isMarked = true
  }
  return conversation.step(at, () => tools.call(call, { signal, once }))
}

function makeToolMessage({ id, name }: ToolCall, { text, content = [], rawFinishReason }: ResponseBody): ChatMessage {
  const said = text === '' && content.length > 0 ? [] : [{ type: 'text' as const, text }]
  return {
    role: 'tool',
    toolCallId: id,
    toolName: name,
    ...(rawFinishReason === errorReason ? { isToolError: true } : {}),
    content: [...said, ...content],
  }
}
