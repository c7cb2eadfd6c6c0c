import type { JsonObject } from '../../../../../cache/records.js'
import type { BackendDefinition } from '../../../define-backend.js'
import type { AttemptError, ModelAnswer, ModelRequest } from '../../../model.js'
import type { ServerEvent } from '../wire/event-stream.js'
import type { BodyPiece, TypeOf } from '../wire/media-body.js'
import type { Endpoint } from './endpoint.js'
import { type ErrorAnswer, jsonOf, malformed, type ReceivedAnswer, shownText } from './failure.js'

/** How a provider sends an answer piece by piece. */
export interface Streaming {
  /** The path of the call, if it differs from that for an answer in one piece. */
  readonly path?: string
  /** Fields of a request that ask for it. */
  readonly fields: JsonObject
  /** Fields of a request that ask for an answer in one piece, where that must be said. */
  readonly otherwise?: JsonObject
  /** Puts one answer together. */
  assemble(): StreamedAnswer
}

/** An answer that comes in pieces, put together to what the provider would have sent in one. */
export interface StreamedAnswer {
  /** What the pieces are: server-sent events where it is absent, or lines of JSON. */
  readonly format?: 'lines'
  /** @returns whether it brought a piece of text, of the answer or of what was thought before it. */
  take(event: ServerEvent): boolean
  /** The answer as JSON. @throws AttemptError where the stream ended before the answer did. */
  end(): string
}

/** The JSON of an event. @throws AttemptError where it is none: the stream was cut, or mixed up. */
export function eventJson({ data }: ServerEvent, endpoint: Endpoint): unknown {
  const value = jsonOf(data)
  if (value === undefined) throw malformed(`sent something else than JSON amid a stream: ${shownText(data, endpoint)}`)
  return value
}

/** A stream that ended before the answer did. */
export const cutStream = () => malformed('the stream of the answer ended before its end')

/** What one provider's API says and understands. Plain functions: sending is the client's. */
export interface Protocol {
  /** The path of the call under the endpoint's origin; with a query, if it has one. */
  readonly path: string
  /** Beside content type and length; the key is in one of them. */
  readonly headers: Readonly<Record<string, string>>
  readonly accepts: BackendDefinition['accepts']
  /** Whether tools may be declared, and called by the model. */
  readonly takesTools?: boolean
  /** The JSON text of one request, in pieces around the media. */
  write(request: ModelRequest, typeOf: TypeOf): readonly BodyPiece[]
  /** @throws AttemptError where the answer is an error, none at all, or what a filter left of one. */
  read(received: ReceivedAnswer, request: ModelRequest): ModelAnswer
  /** The failure that an answer with an error status stands for. */
  failure(answer: ErrorAnswer): AttemptError
  /** How answers come piece by piece, where they can. */
  readonly streaming?: Streaming
}
