import type { Json } from '../../../../base/values/canonical-json.js'
import type { ChatMessage, ResponseBody, Usage } from '../../../../cache/records.js'
import type { BackendDefinition } from '../../define-backend.js'
import type { Model, ModelAnswer } from '../../model.js'
import { sumUsage } from '../../rounds/conversation.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { impossible, makeMalformedError } from '../http/protocol/failure.js'
import type { Protocol } from '../http/protocol/protocol.js'
import { messageFailure } from './failure.js'
import { parseMessage, pausedReason } from './message-answer.js'
import { messageRequest, type MessageRules } from './message-request.js'
import { StreamedMessage } from './message-stream.js'

export interface MessagesCall {
  readonly endpoint: Endpoint
  readonly rules: MessageRules & { readonly anthropic_version: string; readonly anthropic_beta: readonly string[] }
  readonly accepts: BackendDefinition['accepts']
}

/**
 * Anthropic's Messages API.
 *
 * See https://docs.anthropic.com/en/api/messages and https://docs.anthropic.com/en/api/errors
 */
export const messagesProtocol = ({ endpoint, rules, accepts }: MessagesCall): Protocol => ({
  path: `${endpoint.path}/v1/messages`,
  headers: {
    'anthropic-version': rules.anthropic_version,
    ...(rules.anthropic_beta.length === 0 ? {} : { 'anthropic-beta': rules.anthropic_beta.join(',') }),
    ...(endpoint.apiKey === undefined ? {} : { 'x-api-key': endpoint.apiKey }),
  },
  accepts,
  takesTools: true,
  write: (request, typeOf) => messageRequest(request, rules, typeOf),
  read: (received, request) => parseMessage(received, request, endpoint),
  failure: answer => messageFailure(answer, endpoint),
  streaming: { fields: { stream: true }, assemble: () => new StreamedMessage(endpoint) },
})

/** The maximum number of pauses in one turn. The API pauses a turn after ten calls of its own tools. */
const mostPauses = 20

const isPaused = ({ body }: ModelAnswer): boolean => body.rawFinishReason === pausedReason

/**
 * Wraps a model so that paused turns are continued within the same attempt.
 *
 * @see https://docs.anthropic.com/en/api/handling-stop-reasons
 */
export const continuingTurns = (inner: Model): Model => ({
  ...inner,
  async answer(request, signal, watch, further) {
    const parts: ModelAnswer[] = []
    let messages = request.input.messages
    for (;;) {
      const part = await inner.answer({ ...request, input: { ...request.input, messages } }, signal, watch, further)
      if (!isPaused(part)) return parts.length === 0 ? part : joinAnswers(parts, part)
      parts.push(part)
      if (parts.length > mostPauses) throw makeMalformedError(`paused its turn more than ${mostPauses} times`)
      messages = [...messages, pausedMessage(part.body)]
    }
  },
})

/** Rejects a paused turn, because a batch cannot continue it with a second request. @throws AttemptError if it was paused */
export function wholeTurn(answer: ModelAnswer): ModelAnswer {
  if (isPaused(answer))
    throw impossible('the API paused the turn, which a batch cannot continue (send these requests outside a batch)')
  return answer
}

const listBlocks = ({ turn }: ResponseBody): readonly Json[] => (Array.isArray(turn) ? (turn as readonly Json[]) : [])

const pausedMessage = (body: ResponseBody): ChatMessage => ({
  role: 'assistant',
  content: [],
  toolCalls: [],
  turn: [...listBlocks(body)],
})

/** Joins the answers of a paused turn: texts and thoughts are concatenated, tokens are added. */
function joinAnswers(paused: readonly ModelAnswer[], last: ModelAnswer): ModelAnswer {
  const parts = [...paused, last]
  const bodies = parts.map(({ body }) => body)
  const reasoning = bodies.map(body => body.reasoning ?? '').join('')
  return {
    ...last,
    body: {
      ...last.body,
      text: bodies.map(({ text }) => text).join(''),
      reasoning: reasoning === '' ? undefined : reasoning,
      turn: last.body.toolCalls === undefined ? undefined : bodies.flatMap(listBlocks),
    },
    usage: parts.reduce<Usage>((sum, { usage = {} }) => sumUsage(sum, usage), {}),
  }
}
