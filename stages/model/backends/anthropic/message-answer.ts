import { z } from 'zod'
import type { ResponseBody, Usage } from '../../../../cache/records.js'
import type { ModelAnswer, ModelRequest } from '../../model.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import {
  field,
  makeMalformedError,
  parseJson,
  type ReceivedAnswer,
  makeRefusalError,
  shownText,
} from '../http/protocol/failure.js'
import { cutAtStop, tokenCount } from '../http/protocol/request-parts.js'
import { readToolCalls, readTurn } from './message-request.js'
import { errorStatus, messageFailure } from './failure.js'

/** The fields of a message that are read. */
const message = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().nullish(), thinking: z.string().nullish() })),
  stop_reason: z.string(),
  usage: z
    .object({
      input_tokens: tokenCount,
      output_tokens: tokenCount,
      output_tokens_details: z.object({ thinking_tokens: tokenCount }).nullish(),
      cache_creation_input_tokens: tokenCount,
      cache_read_input_tokens: tokenCount,
    })
    .nullish(),
})

type Message = z.output<typeof message>

/** @throws AttemptError if the response is an error, a refusal or no message */
export function parseMessage(received: ReceivedAnswer, request: ModelRequest, endpoint: Endpoint): ModelAnswer {
  const body = parseJson(received, endpoint)
  if (field(body, 'type') === 'error' || field(body, 'error') != null)
    throw messageFailure({ ...received, status: errorStatus(body) }, endpoint)
  // A refusal may come without content.
  if (field(body, 'stop_reason') === 'refusal' && field(body, 'content') == null)
    throw makeRefusalError('the model refused')
  const { data } = message.safeParse(body)
  if (data === undefined)
    throw makeMalformedError(`answered with something else than a message: ${shownText(received.text, endpoint)}`)
  if (data.stop_reason === 'refusal') {
    const said = joinTexts(data)
    throw makeRefusalError(said === '' ? 'the model refused' : `the model refused: ${shownText(said, endpoint)}`)
  }
  return { body: makeResponseBody(data, request), ...readUsage(data) }
}

/** The stop reason of a long turn that the API paused. Sending the turn back unchanged continues it. */
export const pausedReason = 'pause_turn'

/** An empty content list is an empty answer: models sometimes end their turn so. */
function makeResponseBody(answer: Message, { input, generation }: ModelRequest): ResponseBody {
  const whole = joinTexts(answer)
  const text = cutAtStop(whole, generation)
  const calls = input.tools === undefined ? {} : readToolCalls(answer.content)
  const paused = answer.stop_reason === pausedReason ? { turn: readTurn(answer.content) } : {}
  const reasoning = answer.content.map(({ thinking }) => thinking ?? '').join('')
  const { stop_reason: raw } = answer
  const finishReason = text.length < whole.length ? 'stop' : (finishReasons[raw] ?? 'unknown')
  return {
    text,
    finishReason,
    ...(plainReasons.has(raw) ? {} : { rawFinishReason: raw }),
    ...(reasoning === '' ? {} : { reasoning }),
    ...calls,
    ...paused,
  }
}

const joinTexts = ({ content }: Message): string =>
  content.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('')

const finishReasons: Readonly<Record<string, ResponseBody['finishReason']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
}

/** Stop reasons that add nothing to the finish reason. */
const plainReasons: ReadonlySet<string> = new Set(['end_turn', 'max_tokens', 'tool_use'])

/** Counts tokens read from or written to the prompt cache as input. The API counts them separately. */
function readUsage({ usage }: Message): { readonly usage?: Usage } {
  if (usage == null) return {}
  const { input_tokens: fresh, output_tokens: output, cache_read_input_tokens: read } = usage
  const thought = usage.output_tokens_details?.thinking_tokens
  const input = fresh == null ? undefined : fresh + (read ?? 0) + (usage.cache_creation_input_tokens ?? 0)
  return {
    usage: {
      ...(input === undefined ? {} : { inputTokens: input }),
      ...(output == null ? {} : { outputTokens: output }),
      ...(thought == null ? {} : { reasoningTokens: thought }),
      ...(read == null ? {} : { cachedTokens: read }),
    },
  }
}
