import type { ResponseBody } from '../../cache/records.js'
import { AttemptError } from './model.js'

type Meaning = 'stop' | 'length' | 'tool_calls' | 'filtered' | 'failed' | 'paused'

/**
 * The meanings of the finish reasons of servers, beyond those that backends read themselves. `failed` ends an answer
 * that the engine gave up, `filtered` one that was held back, and `paused` a turn that the API continues. Words are
 * compared in lower case.
 *
 * Sources: the enumerations of OpenAI, Anthropic, Gemini, Mistral, DeepSeek, Zhipu, Cohere, vLLM (`FinishReason`),
 * SGLang (`BaseFinishReason`), LMDeploy, TensorRT-LLM, text-generation-inference, llama.cpp and Ollama (`DoneReason`).
 */
const words: Readonly<Record<Meaning, readonly string[]>> = {
  stop: ['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence', 'complete', 'completed'],
  length: ['length', 'model_length', 'max_tokens', 'max_output_tokens', 'model_context_window_exceeded', 'repetition'],
  tool_calls: ['tool_calls', 'tool-calls', 'tool_call', 'tool_use', 'function_call'],
  filtered: ['content_filter', 'content-filter', 'refusal', 'safety', 'sensitive'],
  failed: [
    ...['abort', 'aborted', 'cancelled', 'canceled', 'error', 'failed', 'incomplete', 'in_progress', 'queued'],
    ...['timeout', 'load', 'unload', 'not_finished', 'insufficient_system_resource', 'network_error'],
    ...['engine_overloaded', 'malformed_function_call', 'malformed_response', 'unexpected_tool_call'],
    ...['too_many_tool_calls', 'missing_thought_signature', 'other', 'no_image', 'image_other'],
  ],
  paused: ['pause_turn'],
}

const meanings: ReadonlyMap<string, Meaning> = new Map(
  (Object.keys(words) as Meaning[]).flatMap(meaning => words[meaning].map(word => [word, meaning] as const)),
)

/**
 * Settles an answer whose finish reason its backend does not know. An unknown reason may have cut the answer off, so
 * the answer is not complete, like one that the engine broke off. A server that gives no reason says nothing, and its
 * answer counts.
 *
 * @throws AttemptError `server` if the answer is not complete, `refused` if a filter held it back
 */
export function settledEnding(body: ResponseBody): ResponseBody {
  const { finishReason, rawFinishReason: raw } = body
  if (finishReason !== 'unknown' || raw === undefined || raw === '') return body
  switch (meanings.get(raw.toLowerCase())) {
    case 'stop':
    case 'length':
    case 'tool_calls':
      return { ...body, finishReason: meanings.get(raw.toLowerCase()) as ResponseBody['finishReason'] }
    case 'paused':
      return body
    case 'filtered':
      throw new AttemptError('refused', `the answer was stopped by a content filter (${raw})`, { isRetryable: false })
    case 'failed':
      throw new AttemptError('server', `the answer was broken off: ${raw}`, { isRetryable: true })
    case undefined:
      throw new AttemptError(
        'server',
        `the answer ended for a reason that is not known here, so it may be incomplete: ${JSON.stringify(raw.slice(0, 100))}`,
        { isRetryable: true },
      )
  }
}
