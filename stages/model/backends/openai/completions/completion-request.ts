import type { Json } from '../../../../../base/values/canonical-json.js'
import type { ChatMessage, Input, JsonObject } from '../../../../../cache/records.js'
import { impossible } from '../../http/protocol/failure.js'

/** The way to request the log-probabilities of a prompt: OpenAI's, or vLLM's own. */
export type PromptLogprobs = 'echo' | 'prompt_logprobs'

export interface CompletionRules {
  readonly model: string
  /** The format in which a conversation becomes one text. */
  readonly prompt_format: 'plain' | 'template'
  /** A text put before a context that is empty. */
  readonly prefix_text: string
  readonly omit: readonly string[]
  readonly extra_body: JsonObject
}

/** A text in two parts. The second is scored. */
export interface ScoredParts {
  readonly context: string
  readonly continuation: string
}

/** The separator between the messages of a conversation. */
const betweenMessages = '\n\n'

/** Joins the texts of a conversation without roles. @throws AttemptError if it contains more than text */
export const plainText = (messages: readonly ChatMessage[]): string => messages.map(partsText).join(betweenMessages)

/** Joins the texts of a message. @throws AttemptError if it contains more than text */
export function partsText({ content }: ChatMessage): string {
  const texts = content.map(part => {
    if (part.type !== 'text')
      throw impossible(`${part.type}: the completions endpoint, which gives log-probabilities, takes only text`)
    return part.text
  })
  return texts.join('')
}

/**
 * Splits a request into context and scored text. White space at the end of the context is moved to the scored text,
 * because tokens begin with their space. Source: `_encode_pair` of lm-evaluation-harness 0.4.9 (lm_eval/api/model.py).
 *
 * @throws AttemptError if there is nothing to score
 */
export function scoredParts(context: string, { continuation = '' }: Input, prefixText: string): ScoredParts {
  if (continuation === '') throw impossible('a loglikelihood needs a continuation that is not empty')
  const bare = context.trimEnd()
  return { context: bare === '' ? prefixText : bare, continuation: context.slice(bare.length) + continuation }
}

/** Writes the request for the log-probabilities of a prompt. It generates one token, because not all servers accept 0. */
export function completionRequest(prompt: string, way: PromptLogprobs, rules: CompletionRules): string {
  const wanted = way === 'echo' ? { echo: true, logprobs: 1 } : { prompt_logprobs: 1 }
  const body: Record<string, Json | undefined> = {
    ...rules.extra_body,
    model: rules.model,
    prompt,
    max_tokens: 1,
    temperature: 0,
    ...wanted,
    // The chat template already contains the beginning-of-text token.
    ...(rules.prompt_format === 'template' ? { add_special_tokens: false } : {}),
  }
  for (const name of rules.omit) body[name] = undefined
  return JSON.stringify(body)
}
