import { z } from 'zod'
import type { ResponseBody, ToolCall, Usage } from '../../../../cache/records.js'
import type { AttemptError, ModelAnswer, ModelRequest } from '../../model.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import {
  type ErrorAnswer,
  field,
  tryParseJson,
  makeMalformedError,
  parseJson,
  type ReceivedAnswer,
  shownText,
  statusFailure,
} from '../http/protocol/failure.js'
import { cutAtStop, tokenCount } from '../http/protocol/request-parts.js'

/** The fields of an answer that are read. */
const answer = z.object({
  message: z.object({
    content: z.string().nullish(),
    thinking: z.string().nullish(),
    tool_calls: z
      .array(
        z.object({
          id: z.string().nullish(),
          function: z.object({ name: z.string(), arguments: z.record(z.string(), z.json()).nullish() }),
        }),
      )
      .nullish(),
  }),
  done: z.boolean(),
  done_reason: z.string().nullish(),
  prompt_eval_count: tokenCount,
  eval_count: tokenCount,
})

/** @throws AttemptError if the response is an error or no answer */
export function parseOllama(received: ReceivedAnswer, { generation }: ModelRequest, endpoint: Endpoint): ModelAnswer {
  const body = parseJson(received, endpoint)
  if (field(body, 'error') != null) throw ollamaFailure({ ...received, status: 500 }, endpoint)
  const { data } = answer.safeParse(body)
  if (data === undefined)
    throw makeMalformedError(`answered with something else than a chat: ${shownText(received.text, endpoint)}`)
  const { message, done, done_reason: reason } = data
  // These reasons belong to a request without a prompt, which only loads or unloads a model.
  if (!done || reason === 'load' || reason === 'unload')
    throw makeMalformedError(`the answer was broken off: ${reason ?? 'not done'}`)
  const whole = message.content ?? ''
  const text = cutAtStop(whole, generation)
  const toolCalls = readToolCalls(message)
  const finishReason = finishReasons[reason ?? 'stop']
  return {
    body: {
      text,
      finishReason:
        toolCalls.length > 0 ? 'tool_calls' : text.length < whole.length ? 'stop' : (finishReason ?? 'unknown'),
      ...(finishReason === undefined && reason != null ? { rawFinishReason: reason } : {}),
      ...(message.thinking == null || message.thinking === '' ? {} : { reasoning: message.thinking }),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    },
    ...readUsage(data),
  }
}

/** Reads the requested tool calls. Ollama gives them no ids. */
const readToolCalls = ({ tool_calls: calls }: z.output<typeof answer>['message']): readonly ToolCall[] =>
  (calls ?? []).map(({ id, function: called }, index) => ({
    id: id ?? `call_${index}`,
    name: called.name,
    arguments: JSON.stringify(called.arguments ?? {}),
  }))

const finishReasons: Readonly<Record<string, ResponseBody['finishReason']>> = { stop: 'stop', length: 'length' }

/** Reads the token counts. Ollama counts thinking as output. */
function readUsage({ prompt_eval_count: input, eval_count: output }: z.output<typeof answer>): {
  readonly usage?: Usage
} {
  if (input == null && output == null) return {}
  return {
    usage: { ...(input == null ? {} : { inputTokens: input }), ...(output == null ? {} : { outputTokens: output }) },
  }
}

/** Reads an error response: `{"error":"model \"m\" not found"}`. */
export function ollamaFailure(received: ErrorAnswer, endpoint: Endpoint): AttemptError {
  const error = field(tryParseJson(received.text), 'error')
  const message = typeof error === 'string' ? error : received.text
  const hint =
    received.status === 404 && /model/i.test(message) ? ' (fetch it there with: ollama pull NAME)' : undefined
  return statusFailure(received, { message, hint }, endpoint)
}
