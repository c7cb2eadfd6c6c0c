import type { AttemptWatch, Model } from '../../../model.js'
import { type Connection, openConnection, type PostOptions } from '../../http/wire/connection.js'
import { shownBaseUrl, type Endpoint } from '../../http/protocol/endpoint.js'
import { field, impossible, makeMalformedError, parseJson, type ReceivedAnswer } from '../../http/protocol/failure.js'
import type { AttemptTimeouts } from '../../http/wire/watchdog.js'
import { keyHeaders } from '../chat-completions.js'
import { completionUsage, promptScores } from './completion-answer.js'
import {
  completionRequest,
  plainText,
  scoredParts,
  type CompletionRules,
  type PromptLogprobs,
} from './completion-request.js'
import { answerFailure } from '../failure.js'
import { computeLikelihood, serverTemplate } from './likelihood.js'
import { beginsAfter, probePromptLogprobs, unscoredFirst, type PromptScoring } from './prompt-logprobs-probe.js'

export interface LikelihoodOptions {
  readonly endpoint: Endpoint
  readonly rules: CompletionRules
  readonly patience: AttemptTimeouts
}

/**
 * Computes log-likelihoods with the completions API of a server that returns log-probabilities of prompts. A probe
 * before the first request finds out in which form. `answer` throws a PipelineError if the server returns none, or none
 * for the first token of a text that needs it.
 */
export function openLikelihoods({ endpoint, rules, patience }: LikelihoodOptions): Model {
  const connection = openConnection({
    endpoint,
    headers: keyHeaders(endpoint.apiKey),
    patience,
    failure: answer => answerFailure(answer, endpoint),
  })
  const post = poster(connection, endpoint)
  const ask = (prompt: string, way: PromptLogprobs, options: PostOptions): Promise<unknown> =>
    post(`${endpoint.path}/completions`, completionRequest(prompt, way, rules), options)
  const template = serverTemplate((path, body, signal) => post(path, JSON.stringify(body), { signal }), {
    endpoint,
    model: rules.model,
  })
  const probed = { endpoint, prefixText: rules.prefix_text }
  let probing: Promise<PromptScoring> | undefined
  const probe = (signal: AbortSignal): Promise<PromptScoring> => {
    probing ??= probePromptLogprobs((prompt, way) => ask(prompt, way, { signal }), probed).catch((error: unknown) => {
      probing = undefined
      throw error
    })
    return probing
  }
  return {
    async answer({ input }, signal, watch?: AttemptWatch) {
      const { way, scoresFirst } = await probe(signal)
      const isTemplated = rules.prompt_format === 'template' && input.messages.length > 0
      const context = isTemplated ? await template(input.messages, signal) : plainText(input.messages)
      const isFirst = context.trim() === ''
      if (isFirst && !scoresFirst) throw unscoredFirst(probed)
      const parts = scoredParts(context, input, rules.prefix_text)
      const prompt = parts.context + parts.continuation
      const body = await ask(prompt, way, { signal, watch })
      const scores = promptScores(body, prompt, way)
      if ('problem' in scores) throw makeMalformedError(`${shownBaseUrl(endpoint)}: ${scores.problem}`)
      if (isFirst && rules.prefix_text !== '' && !beginsAfter(rules.prefix_text, scores.scored))
        throw impossible(
          `a token reaches from prefix_text=${JSON.stringify(rules.prefix_text)} into the text: give one that ends where a token ends, such as <|endoftext|>`,
        )
      const usage = completionUsage(body)
      return { body: computeLikelihood(scores.scored, parts), ...(usage === undefined ? {} : { usage }) }
    },
    close: () => connection.close(),
  }
}

function poster(connection: Connection, endpoint: Endpoint) {
  return async (path: string, content: string, options: PostOptions): Promise<unknown> => {
    const received = await connection.post(path, { content, length: Buffer.byteLength(content) }, options)
    return jsonWithoutError(received, endpoint)
  }
}

/** Rejects an error inside a response with status 200, which gateways send. */
function jsonWithoutError(received: ReceivedAnswer, endpoint: Endpoint): unknown {
  const body = parseJson(received, endpoint)
  if (field(body, 'error') == null) return body
  throw answerFailure({ ...received, status: 500 }, endpoint)
}
