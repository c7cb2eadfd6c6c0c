import type { MediaDigest } from '../../../../cache/digest.js'
import type { JsonObject, MediaPart } from '../../../../cache/records.js'
import type {
  AttemptError,
  AttemptWatch,
  BackendContext,
  BackendDefinition,
  Model,
  ModelAnswer,
  ModelRequest,
} from '../../define-backend.js'
import { openConnection } from './connection.js'
import type { Endpoint } from './endpoint.js'
import { impossible, type ErrorAnswer, type ReceivedAnswer } from './failure.js'
import { bodyOf, mediaHeads, mediaOf, type BodyPiece, type MediumHead, type TypeOf } from './media-body.js'
import type { Streaming } from './streaming.js'
import type { Patience } from './watchdog.js'

/** What one provider's API says and understands. Plain functions: sending is the client's. */
export interface Protocol {
  /** Of the call, under the endpoint's origin; with a query, if it has one. */
  readonly path: string
  /** Beside content type and length; the key is in one of them. */
  readonly headers: Readonly<Record<string, string>>
  readonly accepts: BackendDefinition['accepts']
  /** The JSON text of one request, in pieces around the media. */
  write(request: ModelRequest, typeOf: TypeOf): readonly BodyPiece[]
  /** @throws AttemptError where the answer is an error, none at all, or what a filter left of one. */
  read(received: ReceivedAnswer, request: ModelRequest): ModelAnswer
  /** The failure that an answer with an error status stands for. */
  failure(answer: ErrorAnswer): AttemptError
  /** How answers come piece by piece, where they can. */
  readonly streaming?: Streaming
}

export interface ClientOptions {
  readonly endpoint: Endpoint
  readonly protocol: Protocol
  readonly sending: Sending
  readonly context: BackendContext
}

/** How requests are sent: no answer depends on it. */
export interface Sending extends Patience {
  /** Whether answers are asked for piece by piece. */
  readonly isStreamed: boolean
}

/** A client of one provider. Sockets are as many as requests are under way, and reused. */
export function openClient(options: ClientOptions): Model {
  const { endpoint, protocol, context, sending } = options
  const connection = openConnection({
    endpoint,
    headers: protocol.headers,
    patience: sending,
    failure: answer => protocol.failure(answer),
  })
  const headOf = mediaHeads(context, endpoint.backend)
  const streaming = sending.isStreamed ? protocol.streaming : undefined
  const path = streaming?.path ?? protocol.path
  return {
    async answer(request, signal, watch?: AttemptWatch) {
      refuseOther(request, options)
      const heads = new Map<MediaDigest, MediumHead>()
      for (const part of mediaOf(request)) heads.set(part.media, await headOf(part))
      const typeOf = (part: MediaPart) => knownHead(heads, part.media).type
      const pieces = withFields(protocol.write(request, typeOf), streaming?.fields)
      const body = bodyOf(pieces, heads, context)
      return protocol.read(
        await connection.post(path, body, { signal, watch, streamed: streaming?.assemble() }),
        request,
      )
    },
    close: () => connection.close(),
  }
}

/** The fields before those that a JSON object in pieces begins with, which win where they have the same names. */
function withFields(pieces: readonly BodyPiece[], fields: JsonObject | undefined): readonly BodyPiece[] {
  const [first, ...others] = pieces
  if (fields === undefined || typeof first !== 'string' || Object.keys(fields).length === 0) return pieces
  return [`${JSON.stringify(fields).slice(0, -1)},${first.slice(1)}`, ...others]
}

function knownHead(heads: ReadonlyMap<MediaDigest, MediumHead>, digest: MediaDigest): MediumHead {
  const head = heads.get(digest)
  if (head === undefined) throw new Error(`internal error: medium ${digest} was not looked at`)
  return head
}

function refuseOther(request: ModelRequest, { endpoint, protocol }: ClientOptions): void {
  const { type, tools } = request.input
  const kind = mediaOf(request).find(part => !protocol.accepts.includes(part.type))?.type
  const what = type !== 'generate_until' ? type : tools !== undefined ? 'tools' : kind
  if (what !== undefined) throw impossible(`${endpoint.backend}: ${what} is not supported`)
}
