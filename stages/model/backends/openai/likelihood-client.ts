import type { BackendContext, Model } from '../../define-backend.js'
import { openConnection, type Connection } from '../http/connection.js'
import { shownBaseUrl, type Endpoint } from '../http/endpoint.js'
import { field, malformed, parseJson, type ReceivedAnswer } from '../http/failure.js'
import { completionUsage, promptScores } from './completion-answer.js'
import {
  completionRequest,
  plainText,
  scoredParts,
  type CompletionRules,
  type PromptLogprobs,
} from './completion-request.js'
import { answerFailure } from './failure.js'
import { likelihoodOf } from './likelihood.js'
import { probePromptLogprobs } from './prompt-logprobs-probe.js'

export interface LikelihoodOptions {
  readonly endpoint: Endpoint
  readonly headers: Readonly<Record<string, string>>
  readonly rules: CompletionRules
  /** Milliseconds for one attempt, from sending to the last byte. */
  readonly timeoutMs: number
  readonly context: Pick<BackendContext, 'concurrency'>
}

export interface LikelihoodModel extends Model {
  /**
   * Asks the server once how it gives log-probabilities of prompts.
   *
   * @throws PipelineError where it gives none. @throws AttemptError where it could not be asked now.
   */
  probe(signal: AbortSignal): Promise<PromptLogprobs>
}

/** Log-likelihoods from the completions endpoint of a server that gives log-probabilities of prompts. */
export function openLikelihoods({ endpoint, headers, rules, timeoutMs, context }: LikelihoodOptions): LikelihoodModel {
  const connection = openConnection({
    endpoint,
    headers,
    timeoutMs,
    connections: context.concurrency,
    failure: answer => answerFailure(answer, endpoint),
  })
  const ask = asker(connection, endpoint, rules)
  let known: Promise<PromptLogprobs> | undefined
  const probe = (signal: AbortSignal): Promise<PromptLogprobs> => {
    known ??= probePromptLogprobs((prompt, way) => ask(prompt, way, signal), endpoint).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
  return {
    probe,
    async answer({ input }, signal) {
      const parts = scoredParts(plainText(input.messages), input, rules.prefix_text)
      const prompt = parts.context + parts.continuation
      const way = await probe(signal)
      const body = await ask(prompt, way, signal)
      const scores = promptScores(body, prompt, way)
      if ('problem' in scores) throw malformed(`${shownBaseUrl(endpoint)}: ${scores.problem}`)
      const usage = completionUsage(body)
      return { body: likelihoodOf(scores.scored, parts), ...(usage === undefined ? {} : { usage }) }
    },
    close: () => connection.close(),
  }
}

function asker(connection: Connection, endpoint: Endpoint, rules: CompletionRules) {
  return async (prompt: string, way: PromptLogprobs, signal: AbortSignal): Promise<unknown> => {
    const content = completionRequest(prompt, way, rules)
    const path = `${endpoint.path}/completions`
    const received = await connection.post(path, { content, length: Buffer.byteLength(content) }, signal)
    return jsonWithoutError(received, endpoint)
  }
}

/** Gateways pass errors on under status 200. */
function jsonWithoutError(received: ReceivedAnswer, endpoint: Endpoint): unknown {
  const body = parseJson(received, endpoint)
  if (field(body, 'error') == null) return body
  throw answerFailure({ ...received, status: 500 }, endpoint)
}
