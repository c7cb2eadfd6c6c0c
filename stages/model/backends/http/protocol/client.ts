import type { JsonObject } from '../../../../../cache/records.js'
import type { BackendContext } from '../../../define-backend.js'
import type { AttemptWatch, Model } from '../../../model.js'
import { openConnection } from '../wire/connection.js'
import { heldBody, HeldMedia } from '../wire/held-media.js'
import { makeBody, type BodyPiece } from '../wire/media-body.js'
import { requestWriter } from '../wire/request-body.js'
import type { AttemptTimeouts } from '../wire/watchdog.js'
import type { Endpoint } from './endpoint.js'
import { answerMask, maskedFailure, type ReceivedAnswer, withBilledUsage } from './failure.js'
import type { SignMedia } from './presigned-media.js'
import type { Protocol } from './protocol.js'
import { servedName } from './read-reply.js'

export interface ClientOptions {
  readonly endpoint: Endpoint
  readonly protocol: Protocol
  readonly sending: Sending
  readonly context: BackendContext
  readonly sign?: SignMedia | undefined
}

/** Settings for sending requests. No answer depends on it. */
export interface Sending extends AttemptTimeouts {
  /** True if answers are requested as a stream. */
  readonly isStreamed: boolean
}

/** Opens a client of one provider. It opens as many connections as there are requests in flight, and reuses them. */
export function openClient(options: ClientOptions): Model {
  const { endpoint, protocol, context, sending, sign } = options
  const connection = openConnection({
    endpoint,
    headers: protocol.headers,
    patience: sending,
    failure: answer => protocol.failure(answer),
  })
  const write = requestWriter({ endpoint, protocol, context, sign })
  const { encodeMedium } = context
  const media = encodeMedium && new HeldMedia(encodeMedium)
  const mask = answerMask(endpoint)
  const streaming = sending.isStreamed ? protocol.streaming : undefined
  const path = streaming?.path ?? protocol.path
  const fields = streaming?.fields ?? protocol.streaming?.otherwise
  return {
    async answer(request, signal, watch?: AttemptWatch) {
      const { pieces, heads } = await write(request)
      const whole = withFields(pieces, fields)
      const mediaBody = media === undefined || heads.size === 0 ? undefined : await heldBody(whole, heads, media)
      const body = mediaBody ?? makeBody(whole, heads, context)
      let received: ReceivedAnswer | undefined
      try {
        received = await connection.post(path, body, { signal, watch, streamed: streaming?.assemble() })
        const masked = mask(received)
        const served = servedName(masked.text)
        if (served !== undefined) watch?.({ type: 'served', model: served })
        return protocol.read(masked, request)
      } catch (error) {
        throw maskedFailure(received === undefined ? error : withBilledUsage(error, received.text), endpoint)
      } finally {
        mediaBody?.letGo(received !== undefined)
      }
    },
    close: () => connection.close(),
  }
}

/** Inserts fields into a JSON object in pieces. The object's own fields follow, so they win over fields of the same name. */
function withFields(pieces: readonly BodyPiece[], fields: JsonObject | undefined): readonly BodyPiece[] {
  const [first, ...others] = pieces
  if (fields === undefined || typeof first !== 'string' || Object.keys(fields).length === 0) return pieces
  return [`${JSON.stringify(fields).slice(0, -1)},${first.slice(1)}`, ...others]
}
