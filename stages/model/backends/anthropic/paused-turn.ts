import type { Json } from '../../../../base/canonical-json.js'
import type { ChatMessage, ResponseBody, Usage } from '../../../../cache/records.js'
import type { Model, ModelAnswer } from '../../define-backend.js'
import { sumUsage } from '../../rounds/conversation.js'
import { impossible, malformed } from '../http/protocol/failure.js'
import { pausedReason } from './message-answer.js'

/** A turn with the server's own tools pauses after ten of their calls; one that never ends is no answer. */
const mostPauses = 20

const isPaused = ({ body }: ModelAnswer): boolean => body.rawFinishReason === pausedReason

/**
 * A model whose paused turns are continued within the same attempt, until they end.
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
      if (!isPaused(part)) return parts.length === 0 ? part : joined(parts, part)
      parts.push(part)
      if (parts.length > mostPauses) throw malformed(`paused its turn more than ${mostPauses} times`)
      messages = [...messages, pausedMessage(part.body)]
    }
  },
})

/** A batch has no second request in which a turn could go on. @throws AttemptError where it was paused */
export function wholeTurn(answer: ModelAnswer): ModelAnswer {
  if (isPaused(answer))
    throw impossible('the API paused the turn, which a batch cannot continue (run these requests without --batch)')
  return answer
}

const blocksOf = ({ turn }: ResponseBody): readonly Json[] => (Array.isArray(turn) ? (turn as readonly Json[]) : [])

const pausedMessage = (body: ResponseBody): ChatMessage => ({
  role: 'assistant',
  content: [],
  toolCalls: [],
  turn: [...blocksOf(body)],
})

/** One answer of the parts of a turn: texts and thoughts follow each other, tokens are added up. */
function joined(paused: readonly ModelAnswer[], last: ModelAnswer): ModelAnswer {
  const parts = [...paused, last]
  const bodies = parts.map(({ body }) => body)
  const reasoning = bodies.map(body => body.reasoning ?? '').join('')
  return {
    ...last,
    body: {
      ...last.body,
      text: bodies.map(({ text }) => text).join(''),
      reasoning: reasoning === '' ? undefined : reasoning,
      turn: last.body.toolCalls === undefined ? undefined : bodies.flatMap(blocksOf),
    },
    usage: parts.reduce<Usage>((sum, { usage = {} }) => sumUsage(sum, usage), {}),
  }
}
