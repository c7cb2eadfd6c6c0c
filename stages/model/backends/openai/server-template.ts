import { z } from 'zod'
import { PipelineError } from '../../../../base/errors.js'
import type { ChatMessage } from '../../../../cache/records.js'
import { AttemptError } from '../../define-backend.js'
import { shownBaseUrl, type Endpoint } from '../http/protocol/endpoint.js'
import { partsText } from './completion-request.js'

/** Answers with the JSON of what was asked at a path under the server's origin. */
export type AskServer = (path: string, body: object, signal: AbortSignal) => Promise<unknown>

const tokenized = z.object({ tokens: z.array(z.number()) })
const detokenized = z.object({ prompt: z.string() })
const mostKept = 1_000

/**
 * Conversations as the model's own chat template writes them, up to where the answer begins: by vLLM's `/tokenize` and
 * `/detokenize`. Choices of one question share their conversation, so that the last ones are remembered.
 *
 * @throws PipelineError where the server has no such calls.
 */
export function serverTemplate(
  ask: AskServer,
  { endpoint, model }: { readonly endpoint: Endpoint; readonly model: string },
): (messages: readonly ChatMessage[], signal: AbortSignal) => Promise<string> {
  const root = endpoint.path.replace(/\/v1$/, '')
  const known = new Map<string, Promise<string>>()
  const write = async (messages: readonly ChatMessage[], signal: AbortSignal): Promise<string> => {
    const turns = messages.map(message => ({ role: message.role, content: partsText(message) }))
    const call = { model, messages: turns, add_generation_prompt: true }
    const { tokens } = tokenized.parse(await ask(`${root}/tokenize`, call, signal))
    return detokenized.parse(await ask(`${root}/detokenize`, { model, tokens }, signal)).prompt
  }
  return (messages, signal) => {
    const key = JSON.stringify(messages)
    const text =
      known.get(key) ??
      write(messages, signal).catch((error: unknown) => {
        known.delete(key)
        throw withoutTemplate(error, endpoint)
      })
    if (known.size >= mostKept) known.clear()
    known.set(key, text)
    return text
  }
}

function withoutTemplate(error: unknown, endpoint: Endpoint): unknown {
  const isAbsent =
    error instanceof z.ZodError || (error instanceof AttemptError && /^(404|405|501)\b/.test(error.message))
  if (!isAbsent) return error
  return new PipelineError(
    'config',
    `${endpoint.backend}: prompt_format=template needs vLLM's calls /tokenize and /detokenize, which ${shownBaseUrl(endpoint)} does not have. Leave it out: the texts are joined then.`,
  )
}
