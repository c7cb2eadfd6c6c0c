import type { JsonObject } from '../../../../../cache/records.js'
import type { BackendDefinition } from '../../../define-backend.js'
import type { AttemptError, ModelAnswer, ModelRequest } from '../../../model.js'
import type { ServerEvent } from '../wire/event-stream.js'
import type { BodyPiece, TypeOf } from '../wire/media-body.js'
import type { Endpoint } from './endpoint.js'
import { type ErrorAnswer, tryParseJson, makeMalformedError, type ReceivedAnswer, shownText } from './failure.js'

/** The format in which a provider streams an answer. */
export interface Streaming {
  /** The path of the call, if streaming has another one. */
  readonly path?: string
  /** The fields of a request that turn streaming on. */
  readonly fields: JsonObject
  /** The fields of a request that turn streaming off, for APIs that stream by default. */
  readonly otherwise?: JsonObject
  /** Starts to assemble one answer. */
  assemble(): StreamedAnswer
}

/** Assembles the pieces of a streamed answer into what the provider would have sent without streaming. */
export interface StreamedAnswer {
  /** The format of the stream. `lines`: one JSON value a line. @default server-sent events */
  readonly format?: 'lines'
  /** Takes an event. @returns whether it contains text of the answer or of its reasoning */
  take(event: ServerEvent): boolean
  /** Returns the answer as JSON. @throws AttemptError if the stream ended before the answer did */
  end(): string
}

/** Parses an event's JSON. @throws AttemptError if it is invalid because the stream was cut or mixed up */
export function eventJson({ data }: ServerEvent, endpoint: Endpoint): unknown {
  const value = tryParseJson(data)
  if (value === undefined)
    throw makeMalformedError(`sent something else than JSON amid a stream: ${shownText(data, endpoint)}`)
  return value
}

/** The failure for a stream that ended before the answer did. */
export const cutStream = () => makeMalformedError('the stream of the answer ended before its end')

/** Writes the requests and reads the responses of one provider's API. It consists of pure functions. The client sends. */
export interface Protocol {
  /** The path of the call under the endpoint's origin, with a query if it needs one. */
  readonly path: string
  /** The headers other than content type and length. One of them holds the key. */
  readonly headers: Readonly<Record<string, string>>
  readonly accepts: BackendDefinition['accepts']
  /** True if tools may be declared and called. */
  readonly takesTools?: boolean
  /** Writes the JSON text of one request, in pieces around the media. */
  write(request: ModelRequest, typeOf: TypeOf): readonly BodyPiece[]
  /** Reads a response. @throws AttemptError if it is an error, filtered, or no answer */
  read(received: ReceivedAnswer, request: ModelRequest): ModelAnswer
  /** Makes the failure for a response with an error status. */
  failure(answer: ErrorAnswer): AttemptError
  /** The format of streamed answers. Absent if the API cannot stream. */
  readonly streaming?: Streaming
}
