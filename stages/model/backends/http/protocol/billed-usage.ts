import type { Usage } from '../../../../../cache/records.js'
import { AttemptError } from '../../../define-backend.js'
import { field, jsonOf } from './failure.js'

/** Where providers count tokens, and what they call them there: OpenAI's chat and Responses, Anthropic, Gemini, Ollama. */
const places: readonly (string | undefined)[] = ['usage', 'usageMetadata', undefined]
const inputs = ['prompt_tokens', 'input_tokens', 'promptTokenCount', 'prompt_eval_count']
const outputs = [
  ['completion_tokens'],
  ['output_tokens'],
  ['candidatesTokenCount', 'thoughtsTokenCount'],
  ['eval_count'],
]

/** The failure with the tokens that the reply counts: what a filter stopped, or what came without an answer, is billed like one. */
export function withBilledUsage(error: unknown, text: string): unknown {
  if (!(error instanceof AttemptError) || error.usage !== undefined) return error
  const usage = usageIn(jsonOf(text))
  return usage === undefined ? error : new AttemptError(error.class, error.message, { ...optionsOf(error), usage })
}

function usageIn(reply: unknown): Usage | undefined {
  for (const place of places) {
    const counts = place === undefined ? reply : field(reply, place)
    const inputTokens = sumOf(counts, inputs)
    const [outputTokens] = outputs.flatMap(names => sumOf(counts, names) ?? [])
    if (inputTokens !== undefined) return { inputTokens, outputTokens: outputTokens ?? 0 }
  }
  return undefined
}

/** Of those fields that are there; undefined where none is. */
function sumOf(counts: unknown, names: readonly string[]): number | undefined {
  const found = names.map(name => field(counts, name)).filter(count => typeof count === 'number' && count >= 0)
  return found.length === 0 ? undefined : found.reduce<number>((sum, count) => sum + Number(count), 0)
}

const optionsOf = ({ isRetryable, retryAfter, hasProgressed, access, cause }: AttemptError) => ({
  isRetryable,
  retryAfter,
  hasProgressed,
  access,
  cause,
})
