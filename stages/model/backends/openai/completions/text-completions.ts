import type { Json } from '../../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../../cache/records.js'
import type { ModelRequest } from '../../../model.js'
import { eventJson, type Protocol, type StreamedAnswer } from '../../http/protocol/protocol.js'
import type { Endpoint } from '../../http/protocol/endpoint.js'
import { field, makeMalformedError, parseJson, type ReceivedAnswer, shownText } from '../../http/protocol/failure.js'
import { otherKwargs, refuseBeams, listStops } from '../../http/protocol/request-parts.js'
import { parseAnswer } from '../chat-answer.js'
import { keyHeaders } from '../chat-completions.js'
import { StreamedChat } from '../chat-stream.js'
import { plainText } from './completion-request.js'
import { answerFailure } from '../failure.js'

export interface TextCompletionRules {
  readonly model: string
  /** The default maximum number of tokens in an answer. */
  readonly max_gen_toks: number
  readonly omit: readonly string[]
  readonly extra_body: JsonObject
}

/** The maximum number of stop sequences in the protocol. Sending the first few is enough, because answers are cut here, too. */
const mostStops = 4

/** OpenAI's older completions API, in which a model continues a text. */
export function textCompletions({
  endpoint,
  rules,
}: {
  readonly endpoint: Endpoint
  readonly rules: TextCompletionRules
}): Protocol {
  return {
    path: `${endpoint.path}/completions`,
    headers: keyHeaders(endpoint.apiKey),
    accepts: ['text'],
    write: request => [textRequest(request, rules)],
    read: (received, request) => parseAnswer(asChat(received, endpoint), request, endpoint),
    failure: answer => answerFailure(answer, endpoint),
    streaming: {
      fields: { stream: true, ...(rules.omit.includes('stream_options') ? {} : streamOptions) },
      assemble: () => streamedText(endpoint),
    },
  }
}

const streamOptions = { stream_options: { include_usage: true } }

/**
 * Writes the JSON text of one request. Source: `LocalCompletionsAPI` of lm-evaluation-harness 0.4.9
 * (lm_eval/models/openai_completions.py).
 */
function textRequest({ input, generation }: ModelRequest, rules: TextCompletionRules): string {
  const { max_new_tokens, temperature, top_p, seed, ...others } = generation
  refuseBeams(generation)
  const stop = listStops(generation).slice(0, mostStops)
  const body: Record<string, Json | undefined> = {
    model: rules.model,
    prompt: plainText(input.messages),
    max_tokens: max_new_tokens ?? rules.max_gen_toks,
    // A missing temperature means 0 in keys, so 0 is sent: the server's own default differs.
    temperature: temperature ?? 0,
    top_p: top_p === 1 ? undefined : top_p,
    stop: stop.length === 0 ? undefined : stop,
    seed,
    ...otherKwargs(others),
    ...rules.extra_body,
  }
  for (const name of rules.omit) body[name] = undefined
  return JSON.stringify(body)
}

/** Converts a completion to an equivalent chat completion, whose finish reasons, usage and errors are read the same way. */
function asChat(received: ReceivedAnswer, endpoint: Endpoint): ReceivedAnswer {
  const body = parseJson(received, endpoint)
  const choices = field(body, 'choices')
  if (!Array.isArray(choices)) return received
  const chats = choices.map((choice: unknown) => {
    const text = field(choice, 'text')
    // A streamed answer was converted before.
    const isRead = ['message', 'error'].some(name => field(choice, name) !== undefined)
    if (typeof text !== 'string' && !isRead && field(choice, 'finish_reason') !== 'content_filter')
      throw makeMalformedError(`answered with something else than a completion: ${shownText(received.text, endpoint)}`)
    return typeof text === 'string' ? { ...(choice as object), message: { content: text } } : choice
  })
  return { ...received, text: JSON.stringify({ ...(body as object), choices: chats }) }
}

/** Assembles a streamed completion as the equivalent chat completion. */
function streamedText(endpoint: Endpoint): StreamedAnswer {
  const chat = new StreamedChat(endpoint)
  return {
    take(event) {
      if (event.data.trim() === '[DONE]') return chat.take(event)
      const piece = eventJson(event, endpoint)
      const choices = field(piece, 'choices')
      if (!Array.isArray(choices)) return chat.take(event)
      const deltas = choices.map((choice: unknown) => ({
        index: field(choice, 'index'),
        finish_reason: field(choice, 'finish_reason'),
        delta: { content: field(choice, 'text') },
      }))
      return chat.take({ ...event, data: JSON.stringify({ ...(piece as object), choices: deltas }) })
    },
    end: () => chat.end(),
  }
}
