import type { JsonObject } from '../../../../../cache/records.js'
import type { BackendContext } from '../../../define-backend.js'
import type { AttemptWatch, Model, ModelAnswer } from '../../../model.js'
import { openConnection } from '../wire/connection.js'
import { heldBody, HeldMedia } from '../wire/held-media.js'
import { bodyOf, type BodyPiece } from '../wire/media-body.js'
import { requestWriter } from '../wire/request-body.js'
import type { AttemptTimeouts } from '../wire/watchdog.js'
import type { Endpoint } from './endpoint.js'
import { answerMask, maskedFailure, type ReceivedAnswer, withBilledUsage } from './failure.js'
import type { Protocol } from './protocol.js'

export interface ClientOptions {
  readonly endpoint: Endpoint
  readonly protocol: Protocol
  readonly sending: Sending
  readonly context: BackendContext
}

/** How requests are sent. No answer depends on it. */
export interface Sending extends AttemptTimeouts {
  /** True if answers are requested as a stream. */
  readonly isStreamed: boolean
}

/** Opens a client of one provider. It opens as many connections as there are requests in flight, and reuses them. */
export function openClient(options: ClientOptions): Model {
  const { endpoint, protocol, context, sending } = options
  const connection = openConnection({
    endpoint,
    headers: protocol.headers,
    patience: sending,
    failure: answer => protocol.failure(answer),
  })
  const write = requestWriter({ endpoint, protocol, context })
  const { encodeMedium } = context
  const media = encodeMedium && new HeldMedia(encodeMedium)
  const mask = answerMask(endpoint)
  const streaming = sending.isStreamed ? protocol.streaming : undefined
  const path = streaming?.path ?? protocol.path
  const noted = noteUnknownEndings(context)
  const fields = streaming?.fields ?? protocol.streaming?.otherwise
  return {
    async answer(request, signal, watch?: AttemptWatch) {
      const { pieces, heads } = await write(request)
      const whole = withFields(pieces, fields)
      const held = media === undefined || heads.size === 0 ? undefined : await heldBody(whole, heads, media)
      const body = held ?? bodyOf(whole, heads, context)
      let received: ReceivedAnswer | undefined
      try {
        received = await connection.post(path, body, { signal, watch, streamed: streaming?.assemble() })
        return noted(protocol.read(mask(received), request))
      } catch (error) {
        throw maskedFailure(received === undefined ? error : withBilledUsage(error, received.text), endpoint)
      } finally {
        held?.letGo(received !== undefined)
      }
    },
    close: () => connection.close(),
  }
}

/** Notes each unknown finish reason once. The answer counts as it is, but may be cut off. */
function noteUnknownEndings(context: BackendContext): (answer: ModelAnswer) => ModelAnswer {
  const seen = new Set<string>()
  return answer => {
    const { finishReason, rawFinishReason: reason } = answer.body
    if (finishReason === 'unknown' && reason !== undefined && reason !== 'pause_turn' && !seen.has(reason)) {
      seen.add(reason)
      context.note?.(
        `The server ended an answer for a reason that is not known here, ${JSON.stringify(reason)}; it is scored as it is.`,
      )
    }
    return answer
  }
}

/** Inserts fields into a JSON object in pieces. The object's own fields follow, so they win over fields of the same name. */
function withFields(pieces: readonly BodyPiece[], fields: JsonObject | undefined): readonly BodyPiece[] {
  const [first, ...others] = pieces
  if (fields === undefined || typeof first !== 'string' || Object.keys(fields).length === 0) return pieces
  return [`${JSON.stringify(fields).slice(0, -1)},${first.slice(1)}`, ...others]
}
