import type { Json } from '../../../../base/values/canonical-json.js'
import type { ChatMessage, Input, JsonObject } from '../../../../cache/records.js'
import { impossible } from '../http/protocol/failure.js'

/** How a server is asked for the log-probabilities of a prompt: OpenAI's way, or vLLM's own. */
export type PromptLogprobs = 'echo' | 'prompt_logprobs'

export interface CompletionRules {
  readonly model: string
  /** How a conversation becomes one text. */
  readonly prompt_format: 'plain' | 'template'
  /** Put before a text that nothing precedes. */
  readonly prefix_text: string
  readonly omit: readonly string[]
  readonly extra_body: JsonObject
}

/** A text in two parts, of which the second is scored. */
export interface ScoredParts {
  readonly context: string
  readonly continuation: string
}

/** Between the messages of a conversation that becomes one text. */
const betweenMessages = '\n\n'

/** The texts of a conversation, one after another, without roles. @throws AttemptError where there is more than text. */
export const plainText = (messages: readonly ChatMessage[]): string => messages.map(partsText).join(betweenMessages)

/** The texts of a message. @throws AttemptError where there is more than text. */
export function partsText({ content }: ChatMessage): string {
  const texts = content.map(part => {
    if (part.type !== 'text')
      throw impossible(`${part.type}: the completions endpoint, which gives log-probabilities, takes only text`)
    return part.text
  })
  return texts.join('')
}

/**
 * What is scored after what. White space at the end of the context goes to the continuation, as in `_encode_pair` of
 * lm-evaluation-harness 0.4.9 (lm_eval/api/model.py): tokens begin with their space.
 *
 * @throws AttemptError where there is nothing to score.
 */
export function scoredParts(context: string, { continuation = '' }: Input, prefixText: string): ScoredParts {
  if (continuation === '') throw impossible('a loglikelihood needs a continuation that is not empty')
  const bare = context.trimEnd()
  return { context: bare === '' ? prefixText : bare, continuation: context.slice(bare.length) + continuation }
}

/** The JSON text that asks for the log-probabilities of a prompt's tokens. One token is generated: not all servers take 0. */
export function completionRequest(prompt: string, way: PromptLogprobs, rules: CompletionRules): string {
  const wanted = way === 'echo' ? { echo: true, logprobs: 1 } : { prompt_logprobs: 1 }
  const body: Record<string, Json | undefined> = {
    ...rules.extra_body,
    model: rules.model,
    prompt,
    max_tokens: 1,
    temperature: 0,
    ...wanted,
    // A chat template writes the beginning-of-text token itself.
    ...(rules.prompt_format === 'template' ? { add_special_tokens: false } : {}),
  }
  for (const name of rules.omit) body[name] = undefined
  return JSON.stringify(body)
}
