import { PipelineError } from '../../../../base/errors.js'
import { AttemptError } from '../../define-backend.js'
import { shownBaseUrl, type Endpoint } from '../http/endpoint.js'
import { promptScores } from './completion-answer.js'
import type { PromptLogprobs } from './completion-request.js'

/** Some tokens of any tokenizer. */
export const probePrompt = 'The sky is blue, and the grass is'

const ways: readonly PromptLogprobs[] = ['echo', 'prompt_logprobs']

/**
 * Finds out how a server gives the log-probabilities of a prompt, by asking for those of a short one: `echo` with
 * `logprobs`, which llama.cpp's server ignores without a word, else `prompt_logprobs`.
 *
 * @throws PipelineError where it gives none, with what it did. @throws AttemptError where it could not be asked now.
 */
export async function probePromptLogprobs(
  ask: (prompt: string, way: PromptLogprobs) => Promise<unknown>,
  endpoint: Endpoint,
): Promise<PromptLogprobs> {
  const problems: string[] = []
  for (const way of ways) {
    const problem = await problemWith(way, ask)
    if (problem === undefined) return way
    problems.push(`  asked with ${way}: ${problem}`)
  }
  throw new PipelineError('config', [
    `${endpoint.backend}: ${shownBaseUrl(endpoint)}/completions gives no log-probabilities of prompts, which loglikelihood and multiple_choice tasks need`,
    ...problems,
    '  Serve the model with an engine that gives them (vLLM, SGLang, llama-cpp-python with logits_all), or evaluate tasks of generate_until.',
  ])
}

async function problemWith(
  way: PromptLogprobs,
  ask: (prompt: string, way: PromptLogprobs) => Promise<unknown>,
): Promise<string | undefined> {
  try {
    const scores = promptScores(await ask(probePrompt, way), probePrompt, way)
    return 'problem' in scores ? scores.problem : undefined
  } catch (error) {
    if (!(error instanceof AttemptError)) throw error
    // Some say in an answer of status 500 that they know no echo.
    const isRefusal = !error.isRetryable || /\becho\b|logprobs/i.test(error.message)
    if (!isRefusal) throw error
    return error.message
  }
}
