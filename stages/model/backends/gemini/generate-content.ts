import { z } from 'zod'
import type { BackendDefinition } from '../../define-backend.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { makeMalformedError, shownText } from '../http/protocol/failure.js'
import { cutStream, eventJson, type Protocol, type StreamedAnswer } from '../http/protocol/protocol.js'
import type { ServerEvent } from '../http/wire/event-stream.js'
import { parseContent } from './content-answer.js'
import { contentRequest, type ContentRules } from './content-request.js'
import { contentFailure, errorIn } from './failure.js'

export interface GenerateContentCall {
  readonly endpoint: Endpoint
  readonly rules: ContentRules & { readonly model: string; readonly api_version: string }
  readonly accepts: BackendDefinition['accepts']
}

/**
 * The Gemini API's `generateContent`.
 *
 * See https://ai.google.dev/api/generate-content and https://ai.google.dev/gemini-api/docs/troubleshooting
 */
export const generateContent = ({ endpoint, rules, accepts }: GenerateContentCall): Protocol => ({
  path: `${formatModelPath(endpoint, rules)}:generateContent`,
  // The key is sent as a header. In the address, proxies would log it.
  headers: endpoint.apiKey === undefined ? {} : { 'x-goog-api-key': endpoint.apiKey },
  accepts,
  takesTools: true,
  write: (request, typeOf) => contentRequest(request, rules, typeOf),
  read: (received, request) => parseContent(received, request, endpoint),
  failure: answer => contentFailure(answer, endpoint),
  streaming: {
    path: `${formatModelPath(endpoint, rules)}:streamGenerateContent?alt=sse`,
    fields: {},
    assemble: () => new StreamedContent(endpoint),
  },
})

const formatModelPath = ({ path }: Endpoint, { api_version: version, model }: GenerateContentCall['rules']): string =>
  `${path}/${version}/${formatResourceName(model)}`

/** Returns a model's resource name. `gemini-2.5-flash`, `models/gemini-2.5-flash` and `tunedModels/mine` are all accepted. */
function formatResourceName(model: string): string {
  const path = model.split('/').map(encodeURIComponent).join('/')
  return model.includes('/') ? path : `models/${path}`
}

/** The fields of one streamed piece that are read. Each piece is an answer with the new parts. */
const piece = z.object({
  candidates: z
    .array(
      z.looseObject({
        content: z.looseObject({ parts: z.array(z.looseObject({})).nullish() }).nullish(),
        finishReason: z.string().nullish(),
      }),
    )
    .nullish(),
  promptFeedback: z.looseObject({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: z.looseObject({}).nullish(),
})

type Part = Readonly<Record<string, unknown>>

/** Assembles an answer of `streamGenerateContent` into what `generateContent` would have sent. */
class StreamedContent implements StreamedAnswer {
  readonly #endpoint: Endpoint
  readonly #parts: Part[] = []
  #candidate: Record<string, unknown> | undefined
  #feedback: { readonly blockReason?: string | null | undefined } | undefined
  #usage: object | undefined
  #error: unknown

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  take(event: ServerEvent): boolean {
    const value = eventJson(event, this.#endpoint)
    const error = errorIn(value)
    if (error !== undefined) {
      this.#error ??= error
      return false
    }
    const { data } = piece.safeParse(value)
    if (data === undefined)
      throw makeMalformedError(`sent no piece of content: ${shownText(event.data, this.#endpoint)}`)
    this.#feedback = data.promptFeedback ?? this.#feedback
    if (data.usageMetadata != null) this.#usage = { ...this.#usage, ...data.usageMetadata }
    const candidate = data.candidates?.[0]
    if (candidate === undefined) return false
    const { content, ...about } = candidate
    this.#candidate = { ...this.#candidate, ...about }
    const parts = content?.parts ?? []
    for (const part of parts) this.#addPart(part)
    return parts.some(part => part['text'] !== '')
  }

  /** Joins consecutive texts of a kind, and drops an empty text that comes with the finish reason. */
  #addPart(part: Part): void {
    const last = this.#parts.at(-1)
    const [before, more] = [last?.['text'], part['text']]
    const isSameKind = last?.['thought'] === part['thought'] && last?.['thoughtSignature'] === undefined
    if (typeof before === 'string' && typeof more === 'string' && isSameKind)
      this.#parts.splice(-1, 1, { ...last, ...part, text: before + more })
    else if (more !== '' || part['thoughtSignature'] !== undefined) this.#parts.push(part)
  }

  /** @throws AttemptError if the stream ended without a finish reason or a block reason */
  end(): string {
    if (this.#error !== undefined) return JSON.stringify({ error: this.#error })
    const isBlocked = this.#feedback?.blockReason != null
    if (!isBlocked && this.#candidate?.['finishReason'] == null) throw cutStream()
    const content = { role: 'model', ...(this.#parts.length === 0 ? {} : { parts: this.#parts }) }
    return JSON.stringify({
      ...(this.#candidate === undefined ? {} : { candidates: [{ ...this.#candidate, content }] }),
      ...(this.#feedback === undefined ? {} : { promptFeedback: this.#feedback }),
      ...(this.#usage === undefined ? {} : { usageMetadata: this.#usage }),
    })
  }
}
