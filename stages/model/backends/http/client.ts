import type { MediaDigest } from '../../../../cache/digest.js'
import type { MediaPart } from '../../../../cache/records.js'
import type {
  AttemptError,
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
}

export interface ClientOptions {
  readonly endpoint: Endpoint
  readonly protocol: Protocol
  /** Milliseconds for one attempt, from sending to the last byte. */
  readonly timeoutMs: number
  readonly context: BackendContext
}

/** A client of one provider. Sockets are as many as requests are under way, and reused. */
export function openClient(options: ClientOptions): Model {
  const { endpoint, protocol, context } = options
  const connection = openConnection({
    endpoint,
    headers: protocol.headers,
    timeoutMs: options.timeoutMs,
    connections: context.concurrency,
    failure: answer => protocol.failure(answer),
  })
  const headOf = mediaHeads(context, endpoint.backend)
  return {
    async answer(request, signal) {
      refuseOther(request, options)
      const heads = new Map<MediaDigest, MediumHead>()
      for (const part of mediaOf(request)) heads.set(part.media, await headOf(part))
      const typeOf = (part: MediaPart) => knownHead(heads, part.media).type
      const body = bodyOf(protocol.write(request, typeOf), heads, context)
      return protocol.read(await connection.post(protocol.path, body, signal), request)
    },
    close: () => connection.close(),
  }
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
