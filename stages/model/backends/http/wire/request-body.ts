import type { MediaDigest } from '../../../../../cache/digest.js'
import type { MediaPart } from '../../../../../cache/records.js'
import type { BackendContext } from '../../../define-backend.js'
import type { ModelRequest } from '../../../model.js'
import type { SignMedia } from '../protocol/presigned-media.js'
import type { Protocol } from '../protocol/protocol.js'
import type { Endpoint } from '../protocol/endpoint.js'
import { impossible } from '../protocol/failure.js'
import { mediaHeads, listMedia, type BodyPiece, type MediumHead } from './media-body.js'

export interface WrittenRequest {
  /** The JSON text of the body, in pieces around the media. */
  readonly pieces: readonly BodyPiece[]
  /** The type and size of all its media. */
  readonly heads: ReadonlyMap<MediaDigest, MediumHead>
}

/**
 * Writes the bodies of requests. A request has the same body whether it is sent singly or in a batch.
 *
 * The returned function throws AttemptError for a request that cannot be made.
 */
export function requestWriter(options: {
  readonly endpoint: Endpoint
  readonly protocol: Protocol
  readonly context: BackendContext
  /** Adds addresses that the provider downloads media from. @default media are sent as bytes */
  readonly sign?: SignMedia | undefined
}): (request: ModelRequest) => Promise<WrittenRequest> {
  const { endpoint, protocol, context, sign } = options
  const headOf = mediaHeads(context, endpoint.backend)
  return async request => {
    refuseOther(request, endpoint, protocol)
    const heads = new Map<MediaDigest, MediumHead>()
    for (const part of listMedia(request)) heads.set(part.media, await headOf(part))
    const findType = (part: MediaPart) => knownHead(heads, part.media).type
    const signed = sign === undefined || heads.size === 0 ? request : await sign(request, heads)
    return { pieces: protocol.write(signed, findType), heads }
  }
}

function knownHead(heads: ReadonlyMap<MediaDigest, MediumHead>, digest: MediaDigest): MediumHead {
  const head = heads.get(digest)
  if (head === undefined) throw new Error(`internal error: medium ${digest} was not looked at`)
  return head
}

function refuseOther(request: ModelRequest, { backend }: Endpoint, { accepts, takesTools }: Protocol): void {
  const { type, tools } = request.input
  const kind = listMedia(request).find(part => !accepts.includes(part.type))?.type
  const what = type !== 'generate_until' ? type : tools !== undefined && takesTools !== true ? 'tools' : kind
  if (what !== undefined) throw impossible(`${backend}: ${what} is not supported`)
}
